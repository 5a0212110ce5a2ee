export * as clock from './clock-rows.js';
