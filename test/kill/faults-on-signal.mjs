/** Loaded into a controller before itself: signals bring faults that nothing is prepared for. */
const MESSAGE = 'the password is hunter2\n    at hunter2 (hunter2.js:1:1)';

process.on('SIGUSR2', () => {
  void Promise.reject(Object.assign(new TypeError(MESSAGE), { detail: 'hunter2', code: '23505' }));
});
process.on('SIGHUP', () => {
  throw new RangeError(MESSAGE);
});
