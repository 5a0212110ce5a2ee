/**
 * The environment of a test file: the worker's own globals instead of a context of their own, so
 * that what one file imports serves the next (see runtime.cjs).
 */
const { ModuleMocker } = require('jest-mock');

module.exports = class NativeEnvironment {
  global = globalThis;
  moduleMocker = new ModuleMocker(globalThis);
  fakeTimers = null;
  fakeTimersModern = null;
  #before = {
    symbols: new Set(Object.getOwnPropertySymbols(globalThis)),
    console: globalThis.console,
    exit: process.exit,
  };

  async setup() {}

  /** Removes what jest has put into the worker for this file. */
  async teardown() {
    for (const symbol of Object.getOwnPropertySymbols(globalThis)) {
      if (!this.#before.symbols.has(symbol)) Reflect.deleteProperty(globalThis, symbol);
    }
    globalThis.console = this.#before.console;
    process.exit = this.#before.exit;
  }

  getVmContext() {
    return null;
  }
};
