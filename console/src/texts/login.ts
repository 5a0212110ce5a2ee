/** The words of the login. */
export const login = {
  title: 'Log in',
  again: 'Your session has ended',
  againHelp: 'Log in again to go on. The page is as you left it, also what you were typing.',
  username: 'Name',
  password: 'Password',
  submit: 'Log in',
  certificate: 'Log in with a certificate',
  noCertificate:
    'The certificate login was refused. Either the browser has no certificate, or you chose none when it asked, or no identity of this network has it. Most browsers ask once: close all windows of the browser to be asked again.',
  code: 'Code of your second factor',
  codeHelp: 'From your authenticator app, or one of your recovery codes.',
  prove: 'Go on',
  back: 'Log in as another',
  needsToken:
    'Your auth policy asks for a factor that this page can not send: a token of an external signer.',
  signers: {
    at: (name: string) => `Log in at ${name}`,
    leaves: 'A login at another page leaves this one: what you were typing is lost.',
    unasked: 'This page did not begin the login, or began it too long ago. Begin it again.',
    refused: (name: string, reason: string) => `${name} refused the login: ${reason}`,
    unreachable: (name: string) =>
      `${name} can not be reached, or does not allow this page to ask. Load the page again if its settings have changed.`,
    unclear: (name: string) =>
      `${name} answered in a way that this page does not accept. An administrator has to check the settings of both sides.`,
    otherHost: (name: string, host: string) =>
      `${name} gives its tokens at another host (${host}), which this page may not ask.`,
    unknown: (name: string) =>
      `The controller does not accept the token of ${name}: no identity belongs to it, or it may not log in this way.`,
  },
} as const;
