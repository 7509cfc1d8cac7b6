"use strict";
// Draws every chart from its embedded specification, lets the legend single out a data set, opens tables for print.
(() => {
  const source = document.getElementById("specifications");
  const views = [];
  const options = {
    renderer: "svg",
    actions: false,
    defaultStyle: false,
    // The page styles the tooltip itself.
    tooltip: { disableDefaultStyle: true },
    config: {},
  };
  const draw = async () => {
    for (const [id, specification] of Object.entries(source ? JSON.parse(source.textContent) : {})) {
      views.push((await window.vegaEmbed(`#${id}`, specification, { ...options })).view);
    }
    document.documentElement.dataset.charts = String(views.length);
  };

  const buttons = [...document.querySelectorAll("button[data-focus]")];
  let focus = "";
  for (const button of buttons) {
    button.addEventListener("click", () => {
      focus = focus === button.dataset.focus ? "" : button.dataset.focus;
      for (const other of buttons) other.setAttribute("aria-pressed", String(other.dataset.focus === focus));
      for (const view of views) view.signal("focus", focus).run();
    });
  }

  // Vega measures its containers on resize only; folded tables would be missing on paper.
  let folded = [];
  window.addEventListener("beforeprint", () => {
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const details of folded) details.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const details of folded) details.open = false;
  });

  draw();
})();
