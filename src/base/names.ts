/** Each statement names its columns, of which the declarations have a few hundred. */
const snakeCases = new Map<string, string>();

/** `roleAttributes` -> `role_attributes`: attributes are camelCase, columns snake_case. */
export function snakeCase(declaredName: string): string {
  const knownName = snakeCases.get(declaredName);
  if (knownName !== undefined) return knownName;
  const name = declaredName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  snakeCases.set(declaredName, name);
  return name;
}

/** `ServicePolicy` or `servicePolicy` -> `service-policy`. */
export const kebabCase = (name: string): string => snakeCase(lowerFirst(name)).replaceAll('_', '-');

export const lowerFirst = (name: string): string => name.charAt(0).toLowerCase() + name.slice(1);

export const upperFirst = <T extends string>(name: T): Capitalize<T> =>
  (name.charAt(0).toUpperCase() + name.slice(1)) as Capitalize<T>;

/** `roleAttributes` -> `role attributes`, `ApiSession` -> `API session`. */
export const nounOf = (name: string): string =>
  kebabCase(name)
    .replaceAll('-', ' ')
    .replace(/\b(api|jwt)\b/g, (word) => word.toUpperCase());

/** `ServicePolicy` -> `a service policy`, `ApiSession` -> `an API session`. */
export function nounWithArticle(name: string): string {
  const noun = nounOf(name);
  return `${/^[aeiou]/i.test(noun) ? 'an' : 'a'} ${noun}`;
}
