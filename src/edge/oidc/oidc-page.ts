import { createHash } from 'node:crypto';
import type { OidcReply } from './oidc-reply.js';

const STYLE = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { display: grid; min-height: 100vh; margin: 0; place-items: center; background: light-dark(#f8f9fa, #1a1b1e); color: light-dark(#212529, #dee2e6); }
main { box-sizing: border-box; width: min(24rem, 92vw); padding: 2rem; border-radius: .5rem; background: light-dark(#fff, #25262b); box-shadow: 0 1px 4px rgb(0 0 0 / .2); }
h1 { margin: 0 0 1rem; font-size: 1.4rem; }
label { display: block; margin: .75rem 0 .25rem; font-weight: 600; }
input { box-sizing: border-box; width: 100%; padding: .5rem; border: 1px solid light-dark(#adb5bd, #5c5f66); border-radius: .25rem; background: transparent; color: inherit; font: inherit; }
button { width: 100%; margin-top: 1.25rem; padding: .6rem; border: 0; border-radius: .25rem; background: #1864ab; color: #fff; font: inherit; font-weight: 600; cursor: pointer; }
:focus-visible { outline: 3px solid #4dabf7; outline-offset: 2px; }
[role=alert] { padding: .5rem .75rem; border-left: 4px solid #e03131; background: light-dark(#fff5f5, #3b1e1e); }
img { display: block; margin: 0 auto; background: #fff; }
code { overflow-wrap: anywhere; }
`;

const digest = (text: string): string =>
  `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/**
 * The address of the client is one to which a form leads in the end, and browsers hold the policy for all
 * addresses on the way.
 */
const policyFor = (formTarget: string): string =>
  [
    "default-src 'none'",
    `style-src ${digest(STYLE)}`,
    'img-src data:',
    "base-uri 'none'",
    "frame-ancestors 'none'",
    `form-action 'self' ${formTarget}`.trim(),
  ].join('; ');

/** A text as HTML shows it. */
export const escaped = (text: string): string =>
  text.replace(/[&<>"']/g, (char) => `&#${String(char.charCodeAt(0))};`);

interface Page {
  readonly title: string;
  readonly main: string;
  readonly status?: number;
}

/** A page of the provider: no script, no frame around it. */
export function page(
  { title, main, status = 200 }: Page,
  formTarget = 'https: http: openziti:',
): OidcReply {
  const body = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} - Overgraph</title>
<style>${STYLE}</style>
</head>
<body><main><h1>${escaped(title)}</h1>
${main}
</main></body>
</html>
`;
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': policyFor(formTarget),
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
    },
    body,
  };
}
