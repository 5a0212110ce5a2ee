const MAPPED = '::ffff:';
const GROUPS = 8;
const GROUPS_OF_NETWORK = 4;

/**
 * The sender of a request for limits: an IPv4 address, or the /64 network of an IPv6 address, since
 * a single household usually gets a whole /64.
 */
export function senderOf(address: string | undefined): string {
  if (address === undefined) return '';
  if (!address.includes(':')) return address;
  if (address.startsWith(MAPPED) && address.includes('.')) return address.slice(MAPPED.length);
  const [head = '', tail] = address.split('::');
  const before = groupsOf(head);
  const after = groupsOf(tail ?? '');
  // `::` stands for the missing zero groups.
  const zeros = tail === undefined ? 0 : Math.max(0, GROUPS - before.length - after.length);
  const groups = [...before, ...Array<string>(zeros).fill('0'), ...after];
  return `${groups.slice(0, GROUPS_OF_NETWORK).join(':')}::/64`;
}

const groupsOf = (text: string): string[] => (text === '' ? [] : text.split(':'));
