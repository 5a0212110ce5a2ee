export * as findingMutes from './finding-mutes.js';
