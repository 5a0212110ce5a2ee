import { attribute, object, textSet } from '../../kernel/declare/attribute.js';
import { computeFrom } from '../../kernel/declare/compute-from.js';
import { resource, type Write } from '../../kernel/declare/resource.js';
import { present, type Computed } from '../../kernel/declare/rows.js';
import { controllerSettings } from '../../data/rows/controller/index.js';
import { failure } from '../../base/errors.js';
import { merged } from '../../base/merged.js';
import { checkOidcAddresses, effectiveAddresses } from '../../trust/oidc/index.js';
import { Entity } from '../entity.js';

const TO_LOGIN = 'Further addresses that get the answer to a login';
const TO_LOGOUT = 'Further addresses to go to after the end of a session';

const own = (description: string) =>
  ({
    description: `${description}, compared as texts; null: those of the global settings.`,
    nullable: true,
    omitEmpty: true,
  }) as const;

/** The addresses of some settings themselves. */
class ControllerSettingOidc {
  @attribute(textSet(), own(TO_LOGIN))
  redirectUris!: string[] | null;

  @attribute(textSet(), own(TO_LOGOUT))
  postLogoutUris!: string[] | null;
}

/** The addresses that count at a controller. */
class EffectiveOidc {
  @attribute(textSet(), { description: `${TO_LOGIN}.` })
  redirectUris!: string[];

  @attribute(textSet(), { description: `${TO_LOGOUT}.` })
  postLogoutUris!: string[];
}

const NO_LISTS: ControllerSettingOidc = { redirectUris: null, postLogoutUris: null };

const effectiveOidc = computeFrom<'ControllerSetting'>()(['oidc'], async (rows, ctx) => {
  const [global] = await controllerSettings.ofSome(ctx.store, [controllerSettings.GLOBAL]);
  return rows.map(({ oidc }) => effectiveAddresses(global?.oidc, oidc));
});

/** An update keeps the list that it does not name. */
function validate({ values, verb, current }: Write<'ControllerSetting'>): void {
  if (!values.oidc) return;
  const before = verb === 'update' ? present(current, 'oidc').oidc : NO_LISTS;
  values.oidc = merged(before, values.oidc);
  checkOidcAddresses('oidc.redirectUris', values.oidc.redirectUris ?? []);
  checkOidcAddresses('oidc.postLogoutUris', values.oidc.postLogoutUris ?? []);
}

function refuseGlobal({ verb, id }: Write<'ControllerSetting'>): void {
  if (verb === 'delete' && id === controllerSettings.GLOBAL) {
    throw failure('CAN_NOT_DELETE_REFERENCED_ENTITY', 'the global settings are always in use');
  }
}

@resource({
  description:
    'Settings of the controllers. Those with the id `global` are for all controllers; others have the id of a controller and count there instead.',
  plural: 'ControllerSettings',
  path: 'controller-settings',
  permission: 'admin',
  verbs: [],
  hooks: { validate, before: refuseGlobal },
})
export class ControllerSetting extends Entity {
  @attribute(object(() => ControllerSettingOidc), {
    description: 'The settings of the OpenID provider.',
    default: NO_LISTS,
  })
  oidc!: ControllerSettingOidc;

  @attribute(object(() => EffectiveOidc), {
    description:
      'The settings of the OpenID provider that count: its own, and the global ones where it has none.',
    write: 'never',
    graphOnly: true,
    compute: effectiveOidc,
  })
  effectiveOidc!: Computed<EffectiveOidc>;
}
