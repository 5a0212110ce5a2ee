/** `roleAttributes` -> `role_attributes`: attributes are camelCase, columns snake_case. */
export const snakeCase = (name: string): string =>
  name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** `ServicePolicy` or `servicePolicy` -> `service-policy`. */
export const kebabCase = (name: string): string => snakeCase(lowerFirst(name)).replaceAll('_', '-');

export const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

export const upperFirst = <T extends string>(name: T): Capitalize<T> =>
  (name.charAt(0).toUpperCase() + name.slice(1)) as Capitalize<T>;

/** `ServicePolicy` -> `a service policy`, `ApiSession` -> `an API session`. */
export function nounWithArticle(name: string): string {
  const noun = kebabCase(name)
    .replaceAll('-', ' ')
    .replace(/\b(api|jwt)\b/g, (word) => word.toUpperCase());
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
