import type { Store } from '../../src/kernel/request/store-port.js';

/** A store that does some things in another way. */
export const storeWith = (store: Store, others: Partial<Store>): Store => ({
  within: (scope) => storeWith(store.within(scope), others),
  query: (statement) => store.query(statement),
  readModel: (call) => store.readModel(call),
  writeModel: (call) => store.writeModel(call),
  rows: (statement) => store.rows(statement),
  snapshot: () => store.snapshot(),
  write: (origin, work) => store.write(origin, work),
  writeLogged: (origin, work) => store.writeLogged(origin, work),
  rehearse: (origin, work) => store.rehearse(origin, work),
  onChange: (listener) => {
    store.onChange(listener);
  },
  ...others,
});
