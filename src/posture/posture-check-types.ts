export const osTypes = ['Windows', 'WindowsServer', 'Android', 'iOS', 'Linux', 'macOS'] as const;
export type OsType = (typeof osTypes)[number];

export const postureCheckTypeIds = [
  'OS',
  'PROCESS',
  'DOMAIN',
  'MAC',
  'PROCESS_MULTI',
  'MFA',
] as const;
export type PostureCheckTypeId = (typeof postureCheckTypeIds)[number];

export interface OperatingSystem {
  readonly type: OsType;
  readonly versions: readonly string[];
}

export interface PostureCheckType {
  readonly id: PostureCheckTypeId;
  readonly name: string;
  readonly version: string;
  readonly operatingSystems: readonly OperatingSystem[];
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

/** Where a client can answer a check of the type. */
const SUPPORTED: Readonly<Record<PostureCheckTypeId, readonly OsType[]>> = {
  OS: osTypes,
  PROCESS: ['Windows', 'WindowsServer', 'Linux', 'macOS'],
  DOMAIN: ['Windows', 'WindowsServer'],
  MAC: ['Windows', 'WindowsServer', 'Linux', 'macOS'],
  PROCESS_MULTI: ['Windows', 'WindowsServer', 'Linux', 'macOS'],
  MFA: osTypes,
};

/** The read-only list of posture check types. */
export const postureCheckTypes: readonly PostureCheckType[] = postureCheckTypeIds.map((id) => ({
  id,
  name: id,
  version: '1',
  operatingSystems: SUPPORTED[id].map((type) => ({ type, versions: COMMON_VERSIONS[type] })),
}));
