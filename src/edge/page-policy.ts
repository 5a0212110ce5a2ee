import { createHash } from 'node:crypto';

/*
 * The content security policy of a page that others wrote. Such pages have inline scripts, style
 * elements that their library makes, and libraries that compile checks and templates (`unsafe-eval`).
 * Inline scripts of the page itself are allowed by their digests, and no others.
 */

/**
 * Gives the policy for the origins that the page may ask beside its own. Images, styles and fonts may
 * also come from `assetOrigins`; scripts may not, since those could act as the user of the page.
 */
export function pagePolicy(
  page: string,
  assetOrigins: readonly string[] = [],
): (origins: readonly string[]) => string {
  const handlers = eventHandlers(page).map(sourceOf);
  const directives = [
    "default-src 'self'",
    ["script-src 'self' 'unsafe-eval'", ...inlineScripts(page).map(sourceOf)].join(' '),
    handlers.length > 0
      ? ["script-src-attr 'unsafe-hashes'", ...handlers].join(' ')
      : "script-src-attr 'none'",
    ["style-src 'self' 'unsafe-inline'", ...assetOrigins].join(' '),
    ["img-src 'self' data: blob:", ...assetOrigins].join(' '),
    ["font-src 'self' data:", ...assetOrigins].join(' '),
    "worker-src 'self' blob:",
    "object-src 'none'",
    "base-uri 'self'",
    "form-action 'self'",
    "frame-ancestors 'self'",
  ];
  return (origins) => [...directives, ["connect-src 'self'", ...origins].join(' ')].join('; ');
}

/** CSP 3, 2.3.1: the digest of a text as browsers read it, with LF as its line ends. */
const sourceOf = (text: string): string =>
  `'sha256-${createHash('sha256').update(text.replace(/\r\n?/g, '\n')).digest('base64')}'`;

/** A comment, or a script with its attributes, which may contain `>` in quotes. */
const COMMENT_OR_SCRIPT =
  /<!--[^]*?-->|<script\b((?:[^>"']|"[^"]*"|'[^']*')*)>([^]*?)<\/script\s*>/gi;

const inlineScripts = (page: string): string[] =>
  [...page.matchAll(COMMENT_OR_SCRIPT)]
    .filter(([, attributes = '']) => !/\ssrc\s*=/i.test(attributes))
    .map(([, , text = '']) => text)
    .filter((text) => text.trim() !== '');

const TAG = /<[a-z](?:[^>"']|"[^"]*"|'[^']*')*>/gi;
const HANDLER = /\son[a-z]+\s*=\s*(?:"([^"]*)"|'([^']*)')/gi;

/** The values of attributes such as `onload`, which builds write to load styles late. */
const eventHandlers = (page: string): string[] =>
  [...page.replace(COMMENT_OR_SCRIPT, '').matchAll(TAG)]
    .flatMap(([tag]) => [...tag.matchAll(HANDLER)])
    .map(([, double, single]) => decoded(double ?? single ?? ''));

/** The references that builds write into attributes. */
const decoded = (value: string): string =>
  value
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
