// Every name is declared, imported, or a browser name that is listed here; every declared name is used; no long lines.

const BROWSER = `
  Blob CSS CSSStyleSheet CustomEvent FileReader Highlight Image MouseEvent MutationObserver Node NodeFilter Range
  ResizeObserver URL URLSearchParams
  cancelAnimationFrame clearInterval clearTimeout crypto devicePixelRatio document fetch getComputedStyle innerHeight
  localStorage location matchMedia navigator performance requestAnimationFrame sessionStorage setInterval setTimeout
  window
`
const globals = Object.fromEntries(BROWSER.trim().split(/\s+/).map((name) => [name, "readonly"]))

export default [
  { ignores: ["**/node_modules/**"] },
  {
    files: ["**/*.js"],
    languageOptions: { ecmaVersion: 2024, sourceType: "module", globals },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      "no-undef": "error",
      "no-unused-vars": ["error", { args: "after-used", caughtErrors: "all" }],
      "no-const-assign": "error",
      "no-dupe-keys": "error",
      "no-redeclare": "error",
      "no-unreachable": "error",
      "prefer-const": "error",
      "no-var": "error",
      eqeqeq: "error",
      "max-len": ["error", { code: 120 }],
    },
  },
  // The scripts of the path have longer lines.
  { files: ["**/pages/path/*.js"], rules: { "max-len": "off" } },
  // equipment.py writes these in front of the scripts of the frame.
  {
    files: ["**/frame/*.js"],
    languageOptions: {
      globals: Object.fromEntries(
        ["LONGEST_TEXT", "refuseLongTexts"].map((name) => [name, "readonly"]),
      ),
    },
    rules: { "no-redeclare": "off" },
  },
]
