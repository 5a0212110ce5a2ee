import { isIPv6 } from 'node:net';

const LABEL = /^[\p{L}\p{N}_*/]([\p{L}\p{N}\p{M}_*/-]{0,61}[\p{L}\p{N}\p{M}_*/])?$/u;

/**
 * Format `idn-hostname`: dot-separated labels of letters of any script, digits, hyphens inside.
 * Underscores are allowed, because container and SRV names use them. The published schemas use it also
 * for intercepted addresses, so wildcards (`*.example`), IPs and CIDRs are allowed as well.
 */
export function isIdnHostname(text: string): boolean {
  if (isIPv6(text.replace(/\/\d{1,3}$/, ''))) return true;
  const name = text.endsWith('.') ? text.slice(0, -1) : text;
  return name.length <= 253 && name.split('.').every((label) => LABEL.test(label));
}
