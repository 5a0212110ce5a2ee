import { creation, type Change } from './demo-change.js';

/** Posture checks of devices. The last check protects nothing: no policy names its attribute. */
export const CHECKS: readonly Change[] = [
  creation('postureCheck', 'Laptop of the company', {
    typeId: 'DOMAIN',
    domains: ['quillmere.example'],
    roleAttributes: ['managed'],
  }),
  creation('postureCheck', 'Current system', {
    typeId: 'OS',
    operatingSystems: [
      { type: 'Windows', versions: ['>=10.0.19045'] },
      { type: 'macOS', versions: ['>=14.0.0'] },
      { type: 'Linux', versions: ['>=6.1.0'] },
    ],
    roleAttributes: ['current-system'],
  }),
  creation('postureCheck', 'Second factor for a shift', {
    typeId: 'MFA',
    timeoutSeconds: 28_800,
    promptOnWake: true,
    promptOnUnlock: false,
    ignoreLegacyEndpoints: false,
    roleAttributes: ['second-factor'],
  }),
  creation('postureCheck', 'Disk encryption (agent of 2021)', {
    typeId: 'PROCESS',
    process: { osType: 'Windows', path: 'C:\\Program Files\\Sealkeeper\\sealkeeper.exe' },
    roleAttributes: ['sealed-disk'],
  }),
];
