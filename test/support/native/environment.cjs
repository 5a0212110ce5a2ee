/**
 * The environment of a test file: the worker's own globals instead of a context of their own, so
 * that what one file imports serves the next (see runtime.cjs).
 */
const { AsyncLocalStorage } = require('node:async_hooks');
const { ModuleMocker } = require('jest-mock');

/**
 * Asynchronous storages that this file has entered. Node 20 copies the value of each into every promise until it
 * is disabled, so that those of earlier files (jest's framework makes one for each) would slow all later ones.
 */
const enteredStorages = new Set();

for (const name of ['run', 'enterWith']) {
  const enter = AsyncLocalStorage.prototype[name];
  AsyncLocalStorage.prototype[name] = function (...args) {
    enteredStorages.add(this);
    return enter.apply(this, args);
  };
}

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
    // One that is entered again is enabled again.
    for (const storage of enteredStorages) storage.disable();
    enteredStorages.clear();
    globalThis.console = this.#before.console;
    process.exit = this.#before.exit;
  }

  getVmContext() {
    return null;
  }
};
