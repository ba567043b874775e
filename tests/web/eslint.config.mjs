// SPDX-License-Identifier: Apache-2.0
import js from "@eslint/js";
import globals from "globals";

export default [js.configs.recommended, {
  languageOptions: { globals: { ...globals.browser, ...globals.worker, ...globals.serviceworker } },
  rules: { curly: "error", eqeqeq: "error", "prefer-const": "error", "no-var": "error", "no-unused-expressions": "error", "no-shadow": "error",
    "max-len": ["error", { code: 180 }], "max-lines": ["error", 520], complexity: ["error", 20] },
}];
