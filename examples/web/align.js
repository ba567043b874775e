// SPDX-License-Identifier: Apache-2.0
// Where the items of ordered rows go from left to right, so that chains and long edges are straight: "Fast and Simple Horizontal
// Coordinate Assignment" of Brandes and Köpf. Four assignments (from above or below, leftmost or rightmost); each item takes their
// median. Without recursion, since nets are thousands of rows deep.

/** Pairs of items, [upper, lower], whose edge crosses a long edge, which stays straight. */
function conflicts(made, lines, place) {
  const found = new Set(), count = made.length;
  for (let r = 1; r < lines.length; r++) {
    const line = lines[r];
    let left = 0, next = 0;
    line.forEach((k, i) => {
      const inner = made[k].bend && made[made[k].above[0]].bend ? made[k].above[0] : -1;
      if (inner < 0 && i < line.length - 1) {
        return;
      }
      const right = inner < 0 ? lines[r - 1].length - 1 : place[inner];
      for (; next <= i; next++) {
        const low = line[next];
        for (const up of made[low].above) {
          if ((place[up] < left || place[up] > right) && !(made[up].bend && made[low].bend)) {
            found.add(up * count + low);
          }
        }
      }
      left = right;
    });
  }
  return found;
}

/** The item at the top of the block of each item: items of a block are in one straight line. */
function blocks(lines, place, neighbours, clash) {
  const root = place.map((_, k) => k), below = place.map((_, k) => k);
  for (const line of lines) {
    let last = -1;
    for (const v of line) {
      const near = neighbours(v).toSorted((a, b) => place[a] - place[b]), middle = (near.length - 1) / 2;
      for (let m = Math.floor(middle); near.length > 0 && m <= Math.ceil(middle); m++) {
        const u = near[m];
        if (below[v] === v && last < place[u] && !clash(u, v)) {
          below[u] = v;
          below[v] = root[v] = root[u];
          last = place[u];
        }
      }
    }
  }
  return root;
}

/** The leftmost place of each block, then as far right as its neighbours on that side let it go. */
function compact(made, lines, root, gap) {
  const after = new Map(), waits = new Map();
  for (const line of lines) {
    for (let i = 0; i < line.length; i++) {
      const b = root[line[i]];
      if (!after.has(b)) {
        after.set(b, []);
        waits.set(b, waits.get(b) ?? 0);
      }
      if (i > 0) {
        const a = root[line[i - 1]];
        after.get(a).push([b, (made[line[i - 1]].width + made[line[i]].width) / 2 + gap]);
        waits.set(b, (waits.get(b) ?? 0) + 1);
      }
    }
  }
  const order = [...after.keys()].filter((b) => waits.get(b) === 0), x = new Map(order.map((b) => [b, 0]));
  for (let i = 0; i < order.length; i++) {
    for (const [b, room] of after.get(order[i])) {
      x.set(b, Math.max(x.get(b) ?? 0, x.get(order[i]) + room));
      waits.set(b, waits.get(b) - 1);
      if (waits.get(b) === 0) {
        order.push(b);
      }
    }
  }
  for (const b of order.toReversed()) {
    const most = after.get(b).reduce((least, [c, room]) => Math.min(least, x.get(c) - room), Infinity);
    x.set(b, most === Infinity ? x.get(b) : Math.max(x.get(b), most));
  }
  return root.map((b) => x.get(b));
}

/** made: [{ width, above, below, bend }], lines: their numbers, row by row and in order. Gives the x of each item's middle. */
export function align(made, lines, gap) {
  const place = new Array(made.length), found = [];
  lines.forEach((line) => line.forEach((k, i) => { place[k] = i; }));
  const crossing = conflicts(made, lines, place);
  for (const fromAbove of [true, false]) {
    const clash = (u, v) => crossing.has(fromAbove ? u * made.length + v : v * made.length + u);
    for (const leftmost of [true, false]) {
      const rows = (fromAbove ? lines : lines.toReversed()).map((line) => (leftmost ? line : line.toReversed()));
      const order = new Array(made.length);
      rows.forEach((line) => line.forEach((k, i) => { order[k] = i; }));
      const root = blocks(rows, order, (v) => (fromAbove ? made[v].above : made[v].below), clash);
      const x = compact(made, rows, root, gap);
      found.push(leftmost ? x : x.map((v) => -v));
    }
  }
  const ends = found.map((x) => [x.reduce((least, v, k) => Math.min(least, v - made[k].width / 2), Infinity),
    x.reduce((most, v, k) => Math.max(most, v + made[k].width / 2), -Infinity)]);
  const [low, high] = ends.reduce((best, e) => (e[1] - e[0] < best[1] - best[0] ? e : best));
  const shift = ends.map(([from, to], i) => (i % 2 === 0 ? low - from : high - to));
  return made.map((_, k) => {
    const xs = found.map((x, i) => x[k] + shift[i]).sort((a, b) => a - b);
    return (xs[1] + xs[2]) / 2;
  });
}
