import { clientInfo } from '../../trust/auth/index.js';
import { Parameters } from '../../trust/oidc/index.js';
import { EnvInfo, SdkInfo } from '../../resources/identities/identity-shapes.js';
import { failure, invalidField } from '../../base/errors.js';
import { parseJson } from '../../base/json-text.js';
import { isObject } from '../../base/row.js';

/** The body of a request, by its content type. */
export interface SentBody {
  readonly form: Parameters;
  /** The members of a JSON document. */
  readonly json: Readonly<Record<string, unknown>>;
}

const FORM = 'application/x-www-form-urlencoded';

/** @throws ApiError UNSUPPORTED_MEDIA_TYPE, COULD_NOT_PARSE_BODY */
export function bodyOf(bytes: Buffer, contentType: string | undefined): SentBody {
  const type = contentType?.split(';')[0]?.trim().toLowerCase() ?? FORM;
  const text = bytes.toString('utf8');
  if (type === FORM) return { form: new Parameters(new URLSearchParams(text)), json: {} };
  if (type !== 'application/json') {
    throw failure('UNSUPPORTED_MEDIA_TYPE', `content type ${type} is not supported`);
  }
  const document: unknown = text === '' ? {} : parseJson(text, { anyText: true });
  if (!isObject(document)) throw invalidField('body', 'the body must be a JSON object', '');
  return { form: new Parameters(), json: document };
}

/** The members of a login, which clients send as a form or as JSON, some also in the address. */
export class LoginBody {
  constructor(
    private readonly query: Parameters,
    private readonly sent: SentBody,
  ) {}

  get id(): string {
    return this.text('id') ?? this.query.get('authRequestID') ?? this.query.get('id') ?? '';
  }

  text(name: string): string | undefined {
    const member = this.sent.json[name];
    return typeof member === 'string' ? member : this.sent.form.get(name);
  }

  get configTypes(): readonly string[] {
    const { configTypes } = this.sent.json;
    if (!Array.isArray(configTypes)) return this.sent.form.all('configTypes');
    return configTypes.filter((each) => typeof each === 'string');
  }

  get envInfo(): object {
    return this.info('env', EnvInfo);
  }

  get sdkInfo(): object {
    return this.info('sdk', SdkInfo);
  }

  /** The facts of a client about itself: `sdkInfo.version` in JSON is `sdkVersion` in a form. */
  private info(prefix: 'env' | 'sdk', shape: typeof EnvInfo | typeof SdkInfo): object {
    const name = `${prefix}Info`;
    const member = this.sent.json[name];
    if (isObject(member)) return clientInfo(shape, member, name);
    return clientInfo(shape, this.sent.form.below(prefix), name);
  }
}
