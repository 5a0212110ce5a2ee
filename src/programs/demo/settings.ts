import {
  CreateAccessRule,
  CreateAuthority,
  CreateAuthPolicy,
  PresentAccessRule,
  PresentAuthority,
  PresentAuthPolicy,
  type CreateAccessRuleInput,
  type CreateAuthPolicyInput,
  type CreateCertificateAuthorityInput,
  type Operation,
  type PresentAuthPolicyResult,
  type PresentAuthPolicyVariables,
} from '../emitted/operations.js';
import { theService } from './demo-change.js';

/** Entities that lists of changes do not contain: they have mutations of their own. */
export interface Setting<Input extends NamedInput> {
  readonly find: Operation<PresentAuthPolicyResult, PresentAuthPolicyVariables>;
  readonly create: Operation<
    { readonly created: { readonly id: string } | null },
    { readonly input: Input }
  >;
  readonly input: Input;
  /** Why access rules may be violated by it. */
  readonly reason?: string;
}

export interface NamedInput {
  readonly name: string;
}

const PASSWORDS = {
  lockoutDurationMinutes: 15,
  maxAttempts: 5,
  minPasswordLength: 12,
  requireMixedCase: false,
  requireNumberChar: false,
  requireSpecialChar: false,
};

const authPolicy = (name: string, isPasswordAllowed: boolean): Setting<CreateAuthPolicyInput> => ({
  find: PresentAuthPolicy,
  create: CreateAuthPolicy,
  input: {
    name,
    primary: {
      cert: { allowed: true, allowExpiredCerts: false },
      extJwt: { allowed: false, allowedSigners: [] },
      updb: { allowed: isPasswordAllowed, ...PASSWORDS },
    },
    secondary: { requireTotp: false },
  },
});

export const PEOPLE = authPolicy('People', true);
export const MACHINES = authPolicy('Machines', false);

/** The certificate of an invented authority. Nobody has its key. */
const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBrTCCAVSgAwIBAgIIClG7PnDCTRgwCgYIKoZIzj0EAwIwOjESMBAGA1UEChMJ
UXVpbGxtZXJlMSQwIgYDVQQDExtRdWlsbG1lcmUgZmFjdG9yeSBhdXRob3JpdHkw
IBcNMjQwMTAxMDAwMDAwWhgPMjEyNDAxMDEwMDAwMDBaMDoxEjAQBgNVBAoTCVF1
aWxsbWVyZTEkMCIGA1UEAxMbUXVpbGxtZXJlIGZhY3RvcnkgYXV0aG9yaXR5MFkw
EwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEAeSB95e+ZveOs/9RHAeJXUUnZMF2tPWc
JqJn/TzUvzJCe8bi+t+dPiV0qbIjt0AFGNOS0XZ3+xSNwEI7ESvdeKNCMEAwDwYD
VR0TAQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwHQYDVR0OBBYEFPAA98TWzJSm
QjKNkvKaVC3sIes2MAoGCCqGSM49BAMCA0cAMEQCIEePLJ0g0rOT7MLHw37W+Wlz
eG6im2dcxlg8EY14HLm8AiAx+1ziwKinMS4IetxSf6YHINYF95/XhNhE+R0dIdDJ
YQ==
-----END CERTIFICATE-----
`;

export const FACTORY: Setting<CreateCertificateAuthorityInput> = {
  find: PresentAuthority,
  create: CreateAuthority,
  input: {
    name: 'Quillmere factory',
    certPem: CERTIFICATE,
    identityNameFormat: '[caName]-[commonName]',
    identityRoles: ['device'],
    isAuthEnabled: true,
    isAutoCaEnrollmentEnabled: false,
    isOttCaEnrollmentEnabled: true,
  },
};

type RuleSides = Pick<CreateAccessRuleInput, 'kind' | 'identityRoles' | 'serviceRoles'>;

const accessRule = (
  name: string,
  rule: RuleSides,
  reason?: string,
): Setting<CreateAccessRuleInput> => ({
  find: PresentAccessRule,
  create: CreateAccessRule,
  input: { name, type: 'Dial', semantic: 'AnyOf', ...rule },
  ...(reason !== undefined && { reason }),
});

/**
 * The first rule does not hold: a contractor helps with the payroll. The interns of the last one have
 * left.
 */
export const RULES: readonly Setting<CreateAccessRuleInput>[] = [
  accessRule(
    'Contractors stay out of finance',
    { kind: 'MUST_NEVER_REACH', identityRoles: ['#contractor'], serviceRoles: ['#finance'] },
    'one contractor helps with the payroll until January',
  ),
  accessRule('Devices reach no finance', {
    kind: 'MUST_NEVER_REACH',
    identityRoles: ['#device'],
    serviceRoles: ['#finance'],
  }),
  accessRule('Operators always reach the routers', {
    kind: 'MUST_REACH',
    identityRoles: ['#it'],
    serviceRoles: [theService('router-consoles')],
  }),
  accessRule('Interns stay out of finance', {
    kind: 'MUST_NEVER_REACH',
    identityRoles: ['#intern'],
    serviceRoles: ['#finance'],
  }),
];
