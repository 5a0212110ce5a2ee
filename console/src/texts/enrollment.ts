import type { EnrollmentMethod } from '../emitted/operations.js';

const METHODS: Readonly<Record<EnrollmentMethod, string>> = {
  ott: 'By a one-time token, for a certificate of the network',
  ottca: 'By a one-time token, with a certificate of an authority',
  updb: 'By a one-time token, for a name and a password',
  erott: 'Of the edge router, by a one-time token',
  trott: 'Of the transit router, by a one-time token',
};

/** Words of invitations to join the network. */
export const enrollment = {
  title: 'Enrollment',
  none: 'Nothing waits for its enrollment.',
  methods: METHODS,
  username: 'Name',
  authority: 'Authority',
  validUntil: 'It is valid until',
  ended: 'It can not be used any more: it ended',
  hidden: 'Its token is shown to those who could create it.',
  copy: 'Copy the JWT',
  save: 'Save as a file',
  showCode: 'Show the QR code',
  hideCode: 'Hide the QR code',
  code: 'QR code of the JWT',
  codeTooLong: 'The JWT is too long for a QR code.',
  details: 'All attributes',
  refresh: 'Make a new token',
  refreshHelp: 'The earlier token can then not be used any more.',
  newOne: 'New enrollment',
  create: 'Make an enrollment',
  method: 'How it enrolls',
  validFor: 'Valid for',
  hours: { 1: '1 hour', 24: '1 day', 168: '7 days', 720: '30 days' } as Readonly<
    Record<string, string>
  >,
  logins: 'Enrolled',
  certificate: 'Certificate',
  password: (username: string) => `Password of ${username}`,
  until: 'until',
  reEnroll: 'Enroll again',
  reEnrollOf: (name: string) => `Enroll again: ${name}`,
  loginEnds:
    'The present way to log in ends, and its sessions end. The new enrollment takes its place.',
  routerEnds:
    'The certificate of the router is no longer valid, and the router is disconnected. It keeps everything else.',
  reEnrollNow: 'Enroll again now',
} as const;
