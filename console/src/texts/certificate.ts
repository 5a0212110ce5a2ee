/** Words of certificates. */
export const certificate = {
  subject: 'Subject',
  issuer: 'Issued by',
  itself: 'itself',
  names: 'Names',
  usages: 'For',
  usageNames: { clientAuth: 'clients', serverAuth: 'servers' } as Readonly<Record<string, string>>,
  anyUse: 'any use',
  authority: 'an authority',
  validity: 'Valid',
  from: 'from',
  until: 'until',
  endsIn: (days: number) => {
    if (days < 1) return 'It ends in less than a day.';
    return days === 1 ? 'It ends in 1 day.' : `It ends in ${days.toLocaleString()} days.`;
  },
  endedAgo: (days: number) => {
    if (days < 1) return 'It has ended.';
    return days === 1 ? 'It ended 1 day ago.' : `It ended ${days.toLocaleString()} days ago.`;
  },
  begins: 'It is not valid yet.',
  key: 'Key',
  serialNumber: 'Serial number',
  fingerprint: 'Fingerprint (SHA-1)',
} as const;
