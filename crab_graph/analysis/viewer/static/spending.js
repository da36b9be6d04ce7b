import { called, drawJump, headed, make } from "./elements.js";

/* What an episode took, where it was measured: a strip of what took how long, and every tool. */

const LEAST_SHARE = 0.002;

function drawStrip(marks) {
  const whole = Math.max(marks.reduce((total, mark) => total + mark.seconds, 0), 0.001);
  return make("ol", { class: "strip", "aria-label": "Steps and tools by the time they took" }, marks.map((mark) => {
    const drawn = make("li", { class: mark.kind, title: mark.says }, make("span", { class: "unseen" }, mark.says));
    drawn.style.flexGrow = Math.max(mark.seconds / whole, LEAST_SHARE);
    return drawn;
  }));
}

function drawKey(marks) {
  const kinds = [["agent", "agent"], ["user", "user"], ["tools", "tools"]].filter(([kind]) => marks.some((mark) => mark.kind === kind));
  return make("p", { class: "strip-key quiet" }, "What took how long, in order: ",
    kinds.map(([kind, name]) => make("span", { class: kind }, name)));
}

function drawTools(tools) {
  if (!tools.length) return null;
  const head = (name, kind) => make("th", { scope: "col", class: kind }, called(name));
  const cell = (name, value) => make("td", { class: "number", "data-label": called(name) }, value);
  return make("details", { class: "fold" },
    make("summary", {}, headed("each_tool")),
    make("p", { class: "quiet" }, "An answer stays in the context of every later step of the agent. No provider tells the tokens of one answer: they are estimated as bytes / 4, and its dollars as its share of what those steps paid for reading."),
    make("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Each tool" }, make("table", { class: "by-tool stack" },
      make("thead", {}, make("tr", {}, head("tool"), head("calls", "number"), head("time", "number"), head("tokens_in_all", "number"), head("reread_dollars", "number"), head("dearest"))),
      make("tbody", {}, tools.map((tool) => make("tr", {}, make("th", { scope: "row" }, make("code", {}, tool.name)), cell("calls", tool.calls), cell("time", tool.time), cell("tokens_in_all", tool.tokens), cell("reread_dollars", tool.dollars),
        make("td", { "data-label": called("dearest") }, make("span", {}, tool.dearest ? [drawJump(`call-${tool.dearest.call}`, `call ${tool.dearest.call}`), `: ${tool.dearest.said}`] : "–"))))))));
}

export function drawSpending(spending) {
  if (!spending) return make("p", { class: "quiet" }, "Tokens, money and time: not measured, as no model was asked.");
  return make("section", { "aria-label": headed("took") },
    make("h2", {}, headed("took")),
    spending.lines.map((line) => make("p", { class: "took" }, line)),
    spending.strip.length ? [drawStrip(spending.strip), drawKey(spending.strip)] : null,
    drawTools(spending.tools));
}
