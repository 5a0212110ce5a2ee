export * as enrollments from './enrollments.js';
