export * as controllers from './controller-rows.js';
export * as signingKeys from './signing-key-rows.js';
export type { ClientDoor, Vitals } from './controller-rows.js';
export type { SigningKey } from './signing-key-rows.js';
export * as controllerSettings from './controller-setting-rows.js';
