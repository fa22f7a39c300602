// What the page can do beyond being read: open one finding at a time, filter and group the list, and obey keys.
// Without it everything is there, one finding after the other. Each body waits in a <noscript>, which a browser that
// runs scripts keeps as text; it is parsed when the finding is opened.
(() => {
  "use strict";
  const LISTED_AT_ONCE = 200; // markup.py has the same number
  const one = (selector, inside = document) => inside.querySelector(selector);
  const every = (selector, inside = document) => [...inside.querySelectorAll(selector)];
  const body = document.body;
  const articles = new Map(every("article").map((article) => [article.id, article]));
  const list = one("#list");
  const words = one("#words");
  const grouped = one("#grouped");
  const pages = one(".pages");
  let rows = null; // all rows of the list, parsed when they are needed
  let shown = list ? every("tbody tr", list) : []; // rows that the filter lets through
  let total = articles.size;
  let start = 0; // the first of them that is in the list
  let current = 0; // the one that the keys are at
  let scrolled = 0;

  const parsed = (noscript) => {
    const template = document.createElement("template");
    template.innerHTML = noscript.textContent;
    return template.content;
  };
  const anchor = (row) => one("a", row).hash.slice(1);

  // ---- the list

  const allRows = () => {
    if (!rows) {
      const later = every(".scroll > noscript").flatMap((part) => every("tbody tr", parsed(part)));
      rows = [...every("tbody tr:not(.group)", list), ...later];
    }
    return rows;
  };

  const filtered = () => {
    const wanted = words.value.toLowerCase().split(/\s+/).filter(Boolean);
    const boxes = every("input[name=level]");
    const levels = new Set(boxes.filter((box) => box.checked).map((box) => box.value));
    const chosen = allRows().filter((row) => {
      if (boxes.length && !levels.has(row.dataset.level)) return false;
      const text = `${row.textContent} ${anchor(row)}`.toLowerCase();
      return wanted.every((word) => text.includes(word));
    });
    if (!grouped || !grouped.checked) return chosen;
    const groups = new Map();
    for (const row of chosen) groups.set(row.dataset.group, [...(groups.get(row.dataset.group) || []), row]);
    return [...groups.values()].flat();
  };

  const heading = (row) => {
    const line = document.createElement("tr");
    const cell = document.createElement("th");
    const count = shown.filter((other) => other.dataset.group === row.dataset.group).length;
    cell.colSpan = 9;
    cell.scope = "colgroup";
    cell.textContent = `${row.dataset.group}: ${count === 1 ? "1 finding" : `${count} findings`}`;
    line.className = "group";
    line.append(cell);
    return line;
  };

  const draw = () => {
    const part = shown.slice(start, start + LISTED_AT_ONCE);
    const lines = [];
    part.forEach((row, place) => {
      const before = part[place - 1];
      if (grouped && grouped.checked && (!before || before.dataset.group !== row.dataset.group)) lines.push(heading(row));
      lines.push(row);
    });
    one("tbody", list).replaceChildren(...lines);
    pager();
    mark();
  };

  const pager = () => {
    const count = rows ? shown.length : total;
    one("#shown").textContent = rows && shown.length < total ? `${shown.length} of ${total}` : "";
    pages.hidden = count <= LISTED_AT_ONCE;
    if (pages.hidden) return;
    const turn = (label, to) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = label;
      button.disabled = to < 0 || to >= count;
      button.addEventListener("click", () => turnTo(to));
      return button;
    };
    const last = Math.min(start + LISTED_AT_ONCE, count);
    const back = turn("‹ previous", start - LISTED_AT_ONCE);
    pages.replaceChildren(back, ` ${start + 1}–${last} of ${count} `, turn("next ›", start + LISTED_AT_ONCE));
  };

  const turnTo = (to) => {
    shown = filtered();
    start = to;
    current = to;
    draw();
    one(".scroll").scrollIntoView();
  };

  const refilter = () => {
    shown = filtered();
    start = 0;
    current = 0;
    draw();
  };

  const mark = (focus = false) => {
    for (const row of every("tr.current", list)) row.classList.remove("current");
    const row = shown[current];
    if (!row) return;
    row.classList.add("current");
    if (focus) {
      one("a", row).focus();
      row.scrollIntoView({ block: "nearest" });
    }
  };

  const move = (step) => {
    if (shown.length < total && !rows) shown = filtered();
    const to = Math.min(Math.max(current + step, 0), shown.length - 1);
    if (to < 0) return;
    current = to;
    if (to < start || to >= start + LISTED_AT_ONCE) {
      start = to - (to % LISTED_AT_ONCE);
      draw();
    }
    mark(true);
  };

  // ---- one finding

  const fill = (article) => {
    const kept = one("noscript", article);
    if (kept) kept.replaceWith(parsed(kept));
  };

  const opened = () => one("article.open");

  const neighbours = (id) => {
    const order = rows ? shown.map(anchor) : [...articles.keys()];
    const place = order.indexOf(id);
    return place < 0 ? [] : [order[place - 1], order[place + 1]];
  };

  const route = () => {
    const article = articles.get(location.hash.slice(1)) || null;
    const before = opened();
    if (article === before) return;
    if (!before && article) scrolled = scrollY;
    if (before) before.classList.remove("open");
    body.classList.toggle("reading", Boolean(article));
    if (article) {
      fill(article);
      article.classList.add("open");
      scrollTo(0, 0);
      one("h2", article).focus({ preventScroll: true });
      relink(article);
    } else if (before && list) {
      const place = (rows ? shown.map(anchor) : [...articles.keys()]).indexOf(before.id);
      if (place >= 0) {
        current = place;
        if (place >= start + LISTED_AT_ONCE || place < start) move(0);
      }
      mark(true);
      scrollTo(0, scrolled);
    }
  };

  // Previous and next follow the list as it is filtered and grouped.
  const relink = (article) => {
    if (!rows || !shown.some((row) => anchor(row) === article.id)) return;
    const ends = neighbours(article.id);
    [".previous", ".following"].forEach((selector, side) => {
      const link = one(`nav ${selector}`, article);
      if (!link) return;
      link.hidden = !ends[side];
      if (ends[side]) link.href = `#${ends[side]}`;
    });
    one(".place", article).textContent = `entry ${shown.findIndex((row) => anchor(row) === article.id) + 1} of ${shown.length}`;
  };

  // A browser tells of another fragment later than the next key may come.
  const visit = (id) => {
    location.hash = id;
    route();
  };

  const go = (step) => {
    const id = neighbours(opened().id)[step < 0 ? 0 : 1];
    if (id) visit(id);
  };

  // A row is worth a stop if it has a name that no row before it has, or differs in another way than the row before.
  const stops = (article) => {
    const told = new Set();
    let before = "";
    return every(".rows tr:not(.o)", article).filter((row) => {
      const fresh = every("b[class]", row).filter((name) => !told.has(name.className));
      fresh.forEach((name) => told.add(name.className));
      const ways = ["ins", "del", "mark", "td.x"].filter((mark) => one(mark, row)).join();
      const stop = fresh.length > 0 || (ways !== "" && ways !== before);
      before = ways;
      return stop;
    });
  };

  const nextDifference = () => {
    const article = opened();
    const all = stops(article);
    if (!all.length) return;
    const place = all.findIndex((row) => row.classList.contains("stop"));
    if (place >= 0) all[place].classList.remove("stop");
    const row = all[(place + 1) % all.length];
    const fold = row.closest("details");
    if (fold) fold.open = true;
    row.classList.add("stop");
    row.scrollIntoView({ block: "center" });
  };

  const pairOf = (target) => {
    const name = target instanceof Element && target.closest("article b[class], .chips button");
    return name ? [...name.classList].find((word) => /^p\d+$/.test(word)) : null;
  };

  const light = (event) => {
    for (const name of every(".lit")) name.classList.remove("lit");
    const pair = pairOf(event.target);
    if (pair) for (const name of every(`.panes .${pair}, .chips .${pair}`, event.target.closest("article"))) name.classList.add("lit");
  };

  const copy = (button) => {
    const text = button.previousElementSibling;
    getSelection().selectAllChildren(text);
    const told = () => { button.textContent = "copied"; };
    if (navigator.clipboard) navigator.clipboard.writeText(text.textContent).then(told, () => {});
  };

  // ---- keys

  const keys = {
    j: () => (opened() ? go(1) : move(1)),
    k: () => (opened() ? go(-1) : move(-1)),
    Enter: () => { if (!opened() && shown[current]) visit(anchor(shown[current])); },
    u: () => { if (opened()) visit("overview"); },
    Escape: () => keys.u(),
    n: () => { if (opened()) nextDifference(); },
    p: () => print(),
    "/": () => { if (words) { keys.u(); words.focus(); words.select(); } },
  };

  const typed = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.target === words) {
      if (event.key !== "Escape" && event.key !== "Enter") return;
      words.blur();
      event.preventDefault();
      return;
    }
    const own = event.target instanceof Element && event.target.closest("a, button, input, summary");
    const action = keys[event.key];
    if (!action || (event.key === "Enter" && own)) return;
    event.preventDefault();
    action();
  };

  // A name beside a bar becomes a button that filters by it.
  const offerFilters = () => {
    for (const name of every(".filters")) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = name.textContent;
      button.title = "show only these";
      button.addEventListener("click", () => { words.value = name.textContent; refilter(); words.focus(); });
      name.replaceChildren(button);
    }
  };

  const beforePrint = () => {
    if (opened()) return;
    for (const part of every(".coverage")) part.open = true;
    const wanted = rows ? shown.map(anchor) : [...articles.keys()];
    for (const id of wanted) {
      const article = articles.get(id);
      fill(article);
      article.classList.add("printed");
    }
  };

  body.classList.add("scripted");
  if (list) {
    const controls = one(".controls");
    controls.hidden = false;
    controls.addEventListener("submit", (event) => event.preventDefault());
    controls.addEventListener("input", refilter);
    // Notes are folded from the start if something else is there.
    if (every("input[name=level]").some((box) => !box.checked)) refilter();
    list.addEventListener("focusin", (event) => {
      const row = event.target.closest("tr");
      if (shown.includes(row)) { current = shown.indexOf(row); mark(); }
    });
    offerFilters();
    pager();
    mark();
  }
  document.addEventListener("keydown", typed);
  document.addEventListener("pointerover", light);
  document.addEventListener("focusin", light);
  document.addEventListener("click", (event) => { if (event.target.matches(".copier")) copy(event.target); });
  addEventListener("hashchange", route);
  addEventListener("beforeprint", beforePrint);
  addEventListener("afterprint", () => every(".printed").forEach((article) => article.classList.remove("printed")));
  route();
})();
