// SPDX-License-Identifier: Apache-2.0
// Makes elements. What a model says becomes a text node or an attribute's value, never markup.

/**
 * An element; `attributes` that are functions are listeners, true and false set or leave out, the rest are texts.
 * @returns {any}
 */
export function el(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes)) {
    if (typeof value === "function") {
      made.addEventListener(key, value);
    } else if (value !== false && value !== undefined && value !== null) {
      made.setAttribute(key, value === true ? "" : value);
    }
  }
  made.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false));
  return made;
}

/** @returns {any} the element of this id */
export const at = (id) => document.getElementById(id);

/** What would hide or turn the text around it: control characters, marks of the direction of writing, line separators. */
// eslint-disable-next-line no-control-regex
const UNSEEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

/** The text of a file or a model with what cannot be seen written out: \u202e. */
export function shown(text) {
  return String(text).replace(UNSEEN, (c) => "\\u" + c.charCodeAt(0).toString(16).padStart(4, "0"));
}

/** A name of a model: apart from the direction of the text around it, and never wider than its place. */
export function name(text) {
  return el("bdi", { class: "name", title: text.length > 40 ? shown(text) : undefined }, shown(text));
}

/** A message: `kind` is error, warning, good or note; the line is what is wrong, `rest` what to do. */
export function card(kind, line, ...rest) {
  return el("div", { class: "card " + kind }, el("p", { class: "card-line" }, line), ...rest);
}

const SLICE = 100;

/** Fills a place with what is made of the items: some at once, and more when the last of them comes into sight. */
export function grow(place, items, make) {
  const more = (from) => {
    place.append(...items.slice(from, from + SLICE).map(make));
    if (from + SLICE < items.length) {
      const watch = new IntersectionObserver((seen) => {
        if (seen.some((entry) => entry.isIntersecting)) {
          watch.disconnect();
          more(from + SLICE);
        }
      });
      watch.observe(place.lastElementChild);
    }
  };
  more(0);
  return place;
}

/** A table with a caption for those who cannot see what is above it; `cells` makes of a row its texts or elements. */
export function table(caption, heads, rows, cells = (row) => row) {
  return el("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": caption },
    el("table", {}, el("caption", { class: "unseen" }, caption),
      el("thead", {}, el("tr", {}, heads.map((h) => el("th", { scope: "col" }, h)))),
      grow(el("tbody"), rows, (row) => el("tr", {}, cells(row).map((cell) => el("td", {}, cell))))));
}

export function bytes(n) {
  const units = ["bytes", "KB", "MB", "GB"];
  let unit = 0;
  for (; n >= 1000 && unit < 3; unit++) {
    n /= 1000;
  }
  return (unit && n < 100 ? n.toFixed(1) : Math.round(n).toLocaleString("en")) + " " + units[unit];
}

/** "1 node", "1,000 nodes". */
export const count = (n, what) => n.toLocaleString("en") + " " + what + (n === 1 ? "" : "s");

export const dims = (shape) => (shape ? "(" + shape.map((d) => d ?? "?").join(", ") + ")" : "of any shape");
