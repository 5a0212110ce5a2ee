const UNSEEN = /[\p{Cc}\p{Bidi_Control}]/gu;

/** Text of others without what would steer a terminal. */
export const plain = (text: string): string =>
  text.replace(UNSEEN, (sign) => `\\u{${(sign.codePointAt(0) ?? 0).toString(16)}}`);

export const quoted = (name: string): string => `"${plain(name)}"`;

/** `1 pair`, `2 pairs`. */
export const counted = (count: number, one: string, many = `${one}s`): string =>
  `${String(count)} ${count === 1 ? one : many}`;
