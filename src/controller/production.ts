/*
 * Sets `NODE_ENV` before libraries are loaded, so that they leave out checks for developers:
 * GraphQL would spend a tenth of each execution on the detection of a second copy of itself.
 */
process.env.NODE_ENV ??= 'production';
