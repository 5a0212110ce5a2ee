/** Words of the own account. */
export const account = {
  isAdmin: 'may administer everything.',
  mayDo: (permissions: readonly string[]) =>
    permissions.length === 0
      ? 'may administer nothing.'
      : `has these permissions: ${permissions.join(', ')}.`,
  password: 'Password',
  current: 'Present password',
  next: 'New password',
  again: 'New password again',
  differs: 'It is not the same.',
  change: 'Change the password',
  changed: 'The password is changed.',
  secondFactor: 'Second factor',
  isOff: 'Log in by password alone. An authenticator app adds a second factor.',
  isOn: 'A second factor is needed to log in. Type a present code to remove it.',
  turnOn: 'Set up a second factor',
  turnOff: 'Remove the second factor',
  scan: 'Scan this with your authenticator app, or type its address there.',
  image: 'Address of the second factor as a QR code',
  recovery: 'Keep these recovery codes. Each works once in place of a code of the app.',
  prove: 'Confirm',
  proveHelp: 'The factor counts from the first right code on.',
  code: 'Code',
  sessions: 'Where you are logged in',
  from: 'From',
  since: 'Since',
  active: 'Last active',
  end: 'End',
  thisOne: 'this one',
} as const;
