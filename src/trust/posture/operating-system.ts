import { attribute, oneOf, textSet } from '../../kernel/declare/attribute.js';

const MEANINGS = {
  Windows: 'Windows of a workstation.',
  WindowsServer: 'Windows of a server.',
  Android: 'Android.',
  iOS: 'iOS of a phone or tablet.',
  Linux: 'Linux, whatever its distribution.',
  macOS: 'macOS.',
} as const;

export type OsType = keyof typeof MEANINGS;

/** The operating systems that checks name. */
export const OS_TYPE = oneOf('OsType', MEANINGS);

export const osTypes = Object.keys(MEANINGS) as readonly OsType[];

/** The systems on which a client can look at programs and network cards. */
export const desktopOsTypes: readonly OsType[] = ['Windows', 'WindowsServer', 'Linux', 'macOS'];

/** An operating system with versions. */
export class OperatingSystem {
  @attribute(OS_TYPE, { description: 'The operating system.', required: true })
  readonly type!: OsType;

  @attribute(textSet(), { description: 'Versions, as ranges; empty: any.' })
  readonly versions!: readonly string[];
}

/** Common versions, for consoles to offer; no check is held against them. */
const COMMON_VERSIONS: Readonly<Record<OsType, readonly string[]>> = {
  Windows: ['Vista', '7', '8', '10', '11'],
  WindowsServer: ['2012', '2016', '2019', '2022'],
  Android: ['9', '10', '11'],
  iOS: ['11', '12'],
  Linux: ['4.14', '4.19', '5.4', '5.9'],
  macOS: ['10.15', '11.0'],
};

export const withCommonVersions = (types: readonly OsType[]): OperatingSystem[] =>
  types.map((type) => ({ type, versions: COMMON_VERSIONS[type] }));
