export * as findingMutes from './finding-mute-rows.js';
