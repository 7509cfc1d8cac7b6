"""Makes the report page from the published database: `report/dissent.html`, with its charts as pictures beside it.

What is shown is declared in `report/charts.yml`; its queries are in `report/queries`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

import jinja2
import vl_convert
from markupsafe import Markup, escape

from scripts.paths import PROJECT, published_database, write
from scripts.reporting import charts, declared, tables
from scripts.reporting.data import Published, Row
from scripts.reporting.declared import FOLDER, Report, ReportError, Section

PAGE = FOLDER / "dissent.html"


def as_json(value: object) -> Markup:
    """JSON that can't end the script element it stands in."""
    return Markup(json.dumps(value, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c"))


def emphasised(sentence: str) -> Markup:
    """The sentence with its percentages set off."""
    return Markup(re.sub(r"(\d[\d.,]*) %", r"<strong>\1 %</strong>", str(escape(sentence))))


def legend(section: Section, rows: list[Row], look: charts.Look) -> list[dict[str, Any]]:
    """Entries of a section's legend: colour or shape, text, and the data set a button singles out."""
    panels = [panel for panel in charts.PANELS if any(row.get("panel") == panel for row in rows)]
    shapes: list[dict[str, Any]] = [{"glyph": panel, "text": f"panel {panel}"} for panel in panels]
    match section.kind:
        case "intervals" | "curves" if rows and "dataset" in rows[0]:
            names = {row["dataset_id"]: row["dataset"] for row in rows}
            entries = [
                {"colour": look.series(look.colours[key]), "text": name, "focus": key} for key, name in names.items()
            ]
            return (
                entries
                + shapes
                + ([{"glyph": "diamond", "text": "equal footing"}] if "points" in section.options else [])
            )
        case "curves":
            outcomes = charts.ordered(rows, section.options["series"], section.options["series_order"])
            return [
                {"glyph": glyph, "text": text, "plain": True}
                for glyph, text in zip(charts.PANELS, outcomes, strict=False)
            ]
        case "ranges":
            sets = ", ".join(charts.ordered(rows, section.options["by"]))
            exact = [{"glyph": "diamond", "text": f"exact value, models: {sets}"}] if sets else []
            return [{"glyph": "range", "text": "what the published cells allow"}, *exact]
        case "distribution":
            return [{"glyph": "range", "text": "panel all"}] + (
                [{"glyph": "all", "text": "panel attentive"}] if "attentive" in panels else []
            )
        case "bubbles":
            return [{"glyph": "all", "text": "kept"}, {"glyph": "dropped", "text": "dropped"}]
        case _:
            return []


def sections(report: Report, published: Published, look: charts.Look) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """What the template shows section by section, and the specification of every chart by its element's id."""
    shown, specifications, figures = [], {}, 0
    for section in report.sections:
        rows = published.rows(section.query) if section.query else []
        points = published.rows(section.options["points"]) if "points" in section.options else []
        made = (
            charts.parts(section.kind, section.alt or "", section.options, rows, look, points) if section.kind else []
        )
        elements = []
        for place, part in enumerate(made, start=1):
            element = f"chart-{section.id}-{place}"
            specifications[element] = charts.configured(part.chart, look, part)
            elements.append({"id": element, "title": part.title, "alt": part.text})
        figures += bool(made)
        shown.append(
            {
                "declared": section,
                "figure": figures if made else None,
                "caption": section.caption,
                "charts": elements,
                "legend": legend(section, rows, look) if made else [],
                "remarks": published.remarks(section.remarks),
                "open_tables": [
                    Markup(html)
                    for place, table in enumerate(section.tables)
                    if table.open
                    for html in tables.tables(f"{section.id}-{place}", table, published.rows(table.query))
                ],
                "tables": [
                    Markup(html)
                    for place, table in enumerate(section.tables)
                    if not table.open
                    for html in tables.tables(f"{section.id}-{place}", table, published.rows(table.query))
                ],
            }
        )
    return shown, specifications


def page(published: Published, report: Report) -> str:
    """The page, complete in itself."""
    datasets = published.rows("datasets")
    look = charts.Look({row["dataset_id"]: place for place, row in enumerate(datasets, start=1)})
    shown, specifications = sections(report, published, look)
    templates = jinja2.Environment(
        loader=jinja2.FileSystemLoader(FOLDER),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    templates.filters["emphasised"] = emphasised
    templates.filters["badge"] = lambda text: Markup(tables.badge(text))
    return templates.get_template("page.html").render(
        report=report,
        datasets=datasets,
        build=published.rows("build")[0],
        sections=shown,
        css=Markup((FOLDER / "page.css").read_text(encoding="utf-8")),
        script=Markup((FOLDER / "page.js").read_text(encoding="utf-8")),
        vega=Markup(vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")) if specifications else "",
        specifications=as_json(specifications),
    )


def pictures(published: Published, report: Report, folder: Path) -> int:
    """Every chart as PNG and SVG in `folder`, those of an earlier build removed; returns how many."""
    datasets = published.rows("datasets")
    look = charts.Look({row["dataset_id"]: place for place, row in enumerate(datasets, start=1)}, is_picture=True)
    landed = published.rows("build")[0]["last_landing"]
    source = f"dissent; votes landed until {landed}" if landed else "dissent"
    written = set()
    for section in report.sections:
        rows = published.rows(section.query) if section.query else []
        if not section.kind or not rows:
            continue
        points = published.rows(section.options["points"]) if "points" in section.options else []
        made = charts.parts(section.kind, section.alt or "", section.options, rows, look, points)
        svg = vl_convert.vegalite_to_svg(charts.picture(section.title, source, made, look))
        write(folder / f"{section.id}.svg", svg)
        write(folder / f"{section.id}.png", vl_convert.svg_to_png(svg, scale=2))
        written |= {f"{section.id}.svg", f"{section.id}.png"}
    for stale in folder.glob("*.*g"):
        if stale.name not in written:
            stale.unlink()
    return len(written) // 2


def main() -> int:
    """Make the page and the pictures; one line says where they are."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--output", type=Path, default=PAGE, help="where to write the page (default: report/dissent.html)"
    )
    parser.add_argument("--no-pictures", action="store_true", help="only the page")
    arguments = parser.parse_args()
    try:
        report = declared.read()
        published = Published(published_database())
        html = page(published, report)
        write(arguments.output, html)
        count = 0 if arguments.no_pictures else pictures(published, report, arguments.output.parent / "charts")
    except ReportError as error:
        print(error, file=sys.stderr)
        return 1
    beside = f", {count} charts as PNG and SVG in charts/ beside it" if count else ""
    output = arguments.output.resolve()
    name = output.relative_to(PROJECT) if output.is_relative_to(PROJECT) else output
    print(f"report: {name} ({len(html.encode()) / 1e6:.1f} MB{beside})")
    return 0


if __name__ == "__main__":
    sys.exit(main())
