"""The kinds of chart that `report/charts.yml` names, as Vega-Lite through Altair.

In the page colours are CSS variables, so that light, dark and print need no second chart; in picture files they are
the light ones, and what the page's own legends say is said by Vega's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

import altair as alt

from scripts.reporting.data import Row

# After Okabe and Ito, darkened for white (at least 4.5 to 1 against it) and lightened for dark grounds; page.css has
# the same. More data sets than colours begin anew: their names are in the tooltips, and the legend singles them out.
SERIES = ["#0072b2", "#b84a00", "#007a5a", "#a5407b", "#856400", "#5b6770", "#3b4ba3", "#7a3b1e"]
INK, MUTED, GRID, PAGE = "#1b2430", "#55606d", "#e2e6ea", "#ffffff"
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif"
PANELS = ["all", "attentive", "dropped"]
PANEL_SHAPES = ["circle", "square", "triangle-up"]
PANEL_DASHES = [[1, 0], [5, 3], [2, 3]]
PICTURE_WIDTH = 430


@dataclass(frozen=True)
class Look:
    """Where a chart goes, and which number (from 1) each data set's colour has."""

    colours: dict[str, int]
    is_picture: bool = False

    def series(self, number: int) -> str:
        """The colour of a number."""
        place = (number - 1) % len(SERIES)
        return SERIES[place] if self.is_picture else f"var(--s{place + 1})"

    def of(self, rows: list[Row]) -> str:
        """The colour of the data set whose part this is."""
        return self.series(self.colours[rows[0]["dataset_id"]])

    def tone(self, name: str) -> str:
        """ink, muted, grid or page."""
        return {"ink": INK, "muted": MUTED, "grid": GRID, "page": PAGE}[name] if self.is_picture else f"var(--{name})"

    def legend(self, title: str | None = None) -> alt.Legend | None:
        """Vega's legend in pictures; the page has its own."""
        return alt.Legend(title=title, orient="bottom", columns=2, labelLimit=320) if self.is_picture else None


@dataclass(frozen=True)
class Part:
    """One chart of a section: its title, what it shows and the specification."""

    title: str
    text: str
    chart: alt.LayerChart = field(repr=False)
    datasets: dict[str, list[Row]] = field(repr=False)


def numbers(field_name: str, rows: list[Row]) -> alt.Tooltip:
    """A tooltip line with the format that the field's values ask for."""
    title = field_name.removesuffix("_pct").replace("_", " ") + (", %" if field_name.endswith("_pct") else "")
    value = next((row[field_name] for row in rows if row.get(field_name) is not None), "")
    if isinstance(value, bool | str):
        return alt.Tooltip(field_name, type="nominal", title=title)
    pattern = ".2f" if field_name.endswith("_pct") else "," if isinstance(value, int) else ".3~f"
    return alt.Tooltip(field_name, type="quantitative", title=title, format=pattern)


def tooltips(rows: list[Row], options: dict[str, Any]) -> list[alt.Tooltip]:
    """The tooltip of a chart, line by line."""
    return [numbers(name, rows) for name in options["tooltip"] if name in rows[0]]


def ordered(rows: list[Row], name: str, order: str | None = None) -> list[Any]:
    """The values of a field in the order of another one, else as they come."""
    values = sorted(rows, key=lambda row: row[order]) if order else rows
    return list(dict.fromkeys(row[name] for row in values if row[name] is not None))


def percent(name: str, title: str, highest: float | None = None) -> dict[str, Any]:
    """Arguments of a position channel in per cent, from 0."""
    domain: dict[str, Any] = {"domain": [0, highest]} if highest is not None else {"zero": True}
    return {
        "shorthand": name,
        "type": "quantitative",
        "title": title,
        "scale": alt.Scale(**domain, nice=highest is None),
        "axis": alt.Axis(tickCount=5, format="~f", labelFlush=False),
    }


def rules_axis(rows: list[Row], options: dict[str, Any]) -> alt.Y:
    """Rows by name, in order, without a title: the names tell what they are."""
    values = ordered(rows, options["y"], options["order"])
    return alt.Y(options["y"], type="nominal", sort=values, title=None, axis=alt.Axis(labelLimit=170, grid=False))


def panel_scales(rows: list[Row], look: Look) -> tuple[alt.Shape, alt.StrokeDash]:
    """Shape and dash of the panels that occur."""
    present = [panel for panel in PANELS if any(row.get("panel") == panel for row in rows)]
    places = [PANELS.index(panel) for panel in present]
    shape = alt.Scale(domain=present, range=[PANEL_SHAPES[place] for place in places])
    dash = alt.Scale(domain=present, range=[PANEL_DASHES[place] for place in places])
    return (
        alt.Shape("panel", type="nominal", scale=shape, legend=look.legend("panel")),
        alt.StrokeDash("panel", type="nominal", scale=dash, legend=look.legend("panel")),
    )


def dataset_colour(rows: list[Row], look: Look) -> alt.Color:
    """A colour a data set, the same all over the page."""
    names = {row["dataset"]: row["dataset_id"] for row in rows}
    scale = alt.Scale(domain=list(names), range=[look.series(look.colours[key]) for key in names.values()])
    return alt.Color("dataset", type="nominal", scale=scale, legend=look.legend("data set"))


def focused(look: Look) -> dict[str, Any]:
    """In the page the legend's buttons single out a data set, by a parameter of every chart."""
    if look.is_picture:
        return {}
    return {
        "opacity": alt.when("focus == '' || datum.dataset_id == focus").then(alt.value(1)).otherwise(alt.value(0.1))
    }


def layers(rows: list[Row], look: Look, *marks: alt.Chart, height: int) -> alt.LayerChart:
    """The marks over the same rows, which `parts` names."""
    chart: Any = alt.layer(*marks)
    if look.is_picture:
        chart = chart.properties(width=PICTURE_WIDTH)
    else:
        # As wide as the page gives it; the rows decide the height.
        chart = chart.properties(width="container", autosize=alt.AutoSizeParams(type="fit-x", contains="padding"))
        chart = chart.add_params(alt.param(name="focus", value=""))
    layered: alt.LayerChart = chart.properties(height=height)
    return layered


def intervals(rows: list[Row], options: dict[str, Any], look: Look, points: list[Row]) -> alt.LayerChart:
    """Points with intervals, a row a rule, joined along a series."""
    y, colour, tip = rules_axis(rows, options), dataset_colour(rows, look), tooltips(rows, options)
    shape, dash = panel_scales(rows, look)
    x = alt.X(**percent(options["x"], options["x_title"], 100))
    by = [alt.Detail(options["series"], type="nominal"), alt.Detail(options["scale"], type="nominal")]
    # A little apart, so that one interval doesn't hide another.
    apart = alt.YOffset(
        options["series"], type="nominal", sort=ordered(rows, options["series"]), scale=alt.Scale(paddingOuter=1)
    )
    faded = focused(look)
    return layers(
        rows,
        look,
        alt.Chart()
        .mark_line(strokeWidth=1.5)
        .encode(
            y=y,
            x=x,
            color=colour,
            detail=by,
            order=alt.Order(options["order"], type="quantitative"),
            strokeDash=dash,
            yOffset=apart,
            **faded,
        ),
        alt.Chart()
        .mark_rule(strokeWidth=3, opacity=0.55)
        .encode(
            y=y,
            x=alt.X(options["low"], type="quantitative"),
            x2=options["high"],
            color=colour,
            tooltip=tip,
            yOffset=apart,
            **faded,
        ),
        alt.Chart()
        .mark_point(filled=True, size=40, opacity=1, stroke=look.tone("page"), strokeWidth=0.75)
        .encode(y=y, x=x, fill=colour, shape=shape, tooltip=tip, yOffset=apart, **faded),
        height=38 * len(ordered(rows, options["y"])),
    )


def ranges(rows: list[Row], options: dict[str, Any], look: Look, points: list[Row]) -> alt.LayerChart:
    """Bars from the lowest to the highest value, and diamonds where the exact one is known."""
    y, tip, colour = rules_axis(rows, options), tooltips(rows, options), look.of(rows)
    highest = max(value for row in rows for value in (row[options["high"]], row[options["exact"]]) if value is not None)
    x = percent(options["low"], options["x_title"], min(100, 10 * (highest // 10 + 1)))
    marks = [
        alt.Chart()
        .mark_bar(height=9, cornerRadius=2, color=colour, opacity=0.35)
        .encode(y=y, x=alt.X(**x), x2=options["high"], tooltip=tip)
    ]
    # Both ends as well: where they meet a bar has no width.
    for end in (options["low"], options["high"]):
        marks.append(
            alt.Chart()
            .mark_tick(thickness=2, size=15, color=colour, opacity=1)
            .encode(y=y, x=alt.X(**{**x, "shorthand": end}), tooltip=tip)
        )
    if ordered(rows, options["by"]):
        marks.append(
            alt.Chart()
            .mark_point(
                filled=True,
                size=75,
                opacity=1,
                shape="diamond",
                color=look.tone("ink"),
                stroke=look.tone("page"),
                strokeWidth=1,
            )
            .encode(y=y, x=alt.X(**{**x, "shorthand": options["exact"]}), tooltip=tip)
        )
    return layers(rows, look, *marks, height=26 * len(ordered(rows, options["y"])))


def distribution(rows: list[Row], options: dict[str, Any], look: Look, points: list[Row]) -> alt.LayerChart:
    """Bars for all annotators, dots for the attentive ones."""
    x = alt.X(
        options["x"],
        type="ordinal",
        sort=ordered(rows, options["x"], options["order"]),
        title=options["x_title"],
        axis=alt.Axis(labelAngle=0, labelOverlap=True, grid=False),
    )
    y, tip = alt.Y(**percent(options["y"], options["y_title"])), tooltips(rows, options)
    marks = [
        alt.Chart().transform_filter("datum.panel == 'all'").mark_bar(color=look.of(rows)).encode(x=x, y=y, tooltip=tip)
    ]
    if any(row["panel"] != "all" for row in rows):
        marks.append(
            alt.Chart()
            .transform_filter("datum.panel != 'all'")
            .mark_point(
                filled=True, size=42, opacity=1, color=look.tone("ink"), stroke=look.tone("page"), strokeWidth=1
            )
            .encode(x=x, y=y, tooltip=tip)
        )
    return layers(rows, look, *marks, height=190)


def curves(rows: list[Row], options: dict[str, Any], look: Look, points: list[Row]) -> alt.LayerChart:
    """Lines over numbers of raters, a line a data set and panel or a line an outcome."""
    is_log = options["x_scale"] == "log"
    if is_log:
        values = options["x_values"]
        top = max(row[options["x"]] for row in rows)
        x = alt.X(
            options["x"],
            type="quantitative",
            title=options["x_title"],
            scale=alt.Scale(type="log", domain=[min(values), max(top, max(values))], nice=False),
            axis=alt.Axis(values=values, format="d", labelFlush=False),
        )
    else:
        x = alt.X(
            options["x"],
            type="ordinal",
            title=options["x_title"],
            axis=alt.Axis(labelAngle=0),
            scale=alt.Scale(padding=0.4),
        )
    y, tip, faded = alt.Y(**percent(options["y"], options["y_title"], 100)), tooltips(rows, options), focused(look)
    dash = panel_scales(rows, look)[1]
    colour: Any = alt.value(look.of(rows))
    if "dataset" in rows[0]:
        colour = dataset_colour(rows, look)
    else:
        # Colour is for data sets, so the outcomes of one differ in shape.
        names = ordered(rows, options["series"], options["series_order"])
        scale = alt.Scale(domain=names, range=PANEL_SHAPES[: len(names)])
        shape = alt.Shape(options["series"], type="nominal", scale=scale, legend=look.legend(), sort=names)
    by = alt.Detail(options["series"], type="nominal")
    marks = [alt.Chart().mark_line(strokeWidth=2).encode(x=x, y=y, color=colour, detail=by, strokeDash=dash, **faded)]
    if is_log:
        # Invisible, but wide enough to meet with a pointer or a finger.
        marks.append(alt.Chart().mark_point(size=90, opacity=0, filled=True).encode(x=x, y=y, tooltip=tip))
    else:
        marks.append(
            alt.Chart()
            .mark_point(filled=True, size=75, opacity=1, stroke=look.tone("page"), strokeWidth=1)
            .encode(x=x, y=y, fill=colour, shape=shape, tooltip=tip)
        )
    if points:
        tip = [numbers(name, points) for name in ("dataset", "panel", "measure", "divided_pct", "items")]
        marks.append(
            alt.Chart(alt.NamedData(options["points_name"]))
            .mark_point(filled=True, size=80, opacity=1, shape="diamond", stroke=look.tone("page"), strokeWidth=1)
            .encode(x=x, y=y, fill=colour, tooltip=tip, **faded)
        )
    return layers(rows, look, *marks, height=300 if is_log else 210)


def bubbles(rows: list[Row], options: dict[str, Any], look: Look, points: list[Row]) -> alt.LayerChart:
    """Groups of annotators as dots; the dropped ones as triangles."""
    verdicts = ["kept", "dropped"]
    lowest = min(row[options["x"]] for row in rows)
    x = alt.X(
        options["x"],
        type="quantitative",
        title=options["x_title"],
        scale=alt.Scale(domain=[10 * (lowest // 10), 102], nice=False),
        axis=alt.Axis(values=list(range(0, 101, 20)), format="d"),
    )
    y = alt.Y(**percent(options["y"], options["y_title"], 100))
    size = alt.Size(
        options["size"],
        type="quantitative",
        scale=alt.Scale(type="sqrt", range=[20, 520]),
        legend=look.legend("annotators"),
    )
    scale: dict[str, Any] = {"domain": verdicts}
    return layers(
        rows,
        look,
        alt.Chart()
        .mark_point(filled=True, opacity=0.7, stroke=look.tone("page"), strokeWidth=1)
        .encode(
            x=x,
            y=y,
            size=size,
            shape=alt.Shape(
                options["by"],
                type="nominal",
                scale=alt.Scale(**scale, range=["circle", "triangle-up"]),
                legend=look.legend("verdict"),
            ),
            fill=alt.Fill(
                options["by"],
                type="nominal",
                scale=alt.Scale(**scale, range=[look.of(rows), look.tone("ink")]),
                legend=None,
            ),
            tooltip=tooltips(rows, options),
        ),
        height=300,
    )


def bars(rows: list[Row], options: dict[str, Any], look: Look, points: list[Row]) -> alt.LayerChart:
    """Bars with intervals, a row a label."""
    y, tip = rules_axis(rows, options), tooltips(rows, options)
    x = percent(options["x"], options["x_title"])
    return layers(
        rows,
        look,
        alt.Chart().mark_bar(height=11, color=look.of(rows), cornerRadiusEnd=2).encode(y=y, x=alt.X(**x), tooltip=tip),
        alt.Chart()
        .mark_rule(color=look.tone("ink"), strokeWidth=1.25)
        .encode(y=y, x=alt.X(**{**x, "shorthand": options["low"]}), x2=options["high"], tooltip=tip),
        height=20 * len(ordered(rows, options["y"])),
    )


KINDS: dict[str, Callable[[list[Row], dict[str, Any], Look, list[Row]], alt.LayerChart]] = {
    "intervals": intervals,
    "ranges": ranges,
    "distribution": distribution,
    "curves": curves,
    "bubbles": bubbles,
    "bars": bars,
}


def parts(
    kind: str, alt_text: str, options: dict[str, Any], rows: list[Row], look: Look, points: list[Row]
) -> list[Part]:
    """The charts of a section, one a value of the rows' column `part`."""
    used = {"dataset_id", "dataset", "panel"} | {value for value in options.values() if isinstance(value, str)}
    used |= set(options["tooltip"])
    made = []
    for place, (title, group) in enumerate(groupby(rows, key=lambda row: str(row["part"])), start=1):
        part = [{name: value for name, value in row.items() if name in used} for row in group]
        overlay = [row for row in points if row["part"] == title]
        rows_name, points_name = f"rows-{place}", f"points-{place}"
        chart = KINDS[kind](part, options | {"points_name": points_name}, look, overlay)
        # By name, and the rows only in the finished specification: Altair copies and checks whatever it holds.
        chart.data = alt.NamedData(rows_name)
        datasets = {rows_name: part} | ({points_name: overlay} if overlay else {})
        made.append(Part(title, f"{alt_text.strip()} {title}.", chart, datasets))
    return made


def configured(chart: alt.LayerChart | alt.ConcatChart, look: Look, *made: Part) -> dict[str, Any]:
    """The specification with the parts' rows and the page's typography and colours."""
    ink, muted = look.tone("ink"), look.tone("muted")
    specification: dict[str, Any] = chart.to_dict()
    specification["datasets"] = {name: rows for part in made for name, rows in part.datasets.items()}
    specification["config"] = {
        "font": FONT,
        "background": PAGE if look.is_picture else "transparent",
        "padding": 12 if look.is_picture else 2,
        "view": {"stroke": None},
        "axis": {
            "labelColor": muted,
            "titleColor": muted,
            "titleFontWeight": "normal",
            "titleFontSize": 12,
            "labelFontSize": 12,
            "gridColor": look.tone("grid"),
            "domain": False,
            "ticks": False,
            "labelPadding": 6,
            "titlePadding": 8,
        },
        "legend": {
            "labelColor": ink,
            "titleColor": muted,
            "titleFontWeight": "normal",
            "labelFontSize": 12,
            "titleFontSize": 12,
        },
        "title": {
            "color": ink,
            "subtitleColor": muted,
            "anchor": "start",
            "fontSize": 13,
            "subtitleFontSize": 12,
            "offset": 10,
        },
    }
    return specification


def picture(title: str, source: str, made: list[Part], look: Look) -> dict[str, Any]:
    """All parts of a section side by side, with a title and the source: for slides and papers."""
    chart = alt.concat(*(part.chart.properties(title=part.title) for part in made), columns=2, spacing=28)
    chart = chart.properties(title=alt.TitleParams(text=title, subtitle=source, fontSize=18, offset=18))
    return configured(chart.resolve_scale(color="shared", shape="shared"), look, *made)
