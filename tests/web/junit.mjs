// SPDX-License-Identifier: Apache-2.0
// A reporter of node's test runner that writes JUnit; node 18 has none.

const escaped = (text) => String(text).replace(/[^\t\n\x20-\ufffd]/g, "?").replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

export default async function* junit(events) {
  yield '<testsuites><testsuite name="web">\n';
  for await (const { type, data } of events) {
    if ((type === "test:pass" || type === "test:fail") && data.details?.type !== "suite" && !data.name.endsWith(".mjs")) {
      const seconds = (data.details.duration_ms / 1000).toFixed(3);
      yield `<testcase classname="web" name="${escaped(data.name)}" time="${seconds}">`;
      yield type === "test:fail" ? `<failure>${escaped(data.details.error?.cause?.stack ?? data.details.error)}</failure>` : "";
      yield "</testcase>\n";
    }
  }
  yield "</testsuite></testsuites>\n";
}
