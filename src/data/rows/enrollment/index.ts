export * as enrollments from './enrollment-rows.js';
