import { controllerSettings } from '../../data/rows/controller/index.js';
import { isChangeOf, type Store } from '../../kernel/request/store-port.js';
import { effectiveAddresses } from './oidc-addresses.js';

const { GLOBAL } = controllerSettings;

type Lists = ReturnType<typeof effectiveAddresses>;

/** The redirect addresses in the settings of this controller, in memory until the settings change. */
export class RedirectLists {
  #current: Promise<Lists> | undefined;

  constructor(
    private readonly store: Store,
    private readonly controllerId: string,
  ) {
    store.onChange((changes) => {
      if (changes.some((change) => isChangeOf('ControllerSetting', change))) {
        this.#current = undefined;
      }
    });
  }

  current(): Promise<Lists> {
    if (this.#current) return this.#current;
    const reading = this.read();
    this.#current = reading;
    reading.catch(() => {
      if (this.#current === reading) this.#current = undefined;
    });
    return reading;
  }

  private async read(): Promise<Lists> {
    const { store, controllerId } = this;
    const settings = await controllerSettings.ofSome(store, [GLOBAL, controllerId]);
    const oidcOf = (id: string) => settings.find((each) => each.id === id)?.oidc;
    return effectiveAddresses(oidcOf(GLOBAL), oidcOf(controllerId));
  }
}
