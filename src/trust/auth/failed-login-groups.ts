import {
  failedLogins,
  type FailedLoginCount,
  type FailedLoginGroup,
} from '../../data/rows/login/index.js';

/**
 * The failed logins of some hours in groups. An attacker chooses addresses and usernames freely, so
 * each hour has a bounded number of groups, and a login that finds no place counts in a wider group.
 * Shares of this number keep places free: neither one address with many identities nor many
 * addresses with one identity, or with usernames that do not exist, can take them all.
 */
export class FailedLoginGroups {
  readonly #hours = new Map<number, GroupsOfHour>();

  /** Begins with groups that exist already. */
  constructor(existing: readonly FailedLoginGroup[] = []) {
    for (const group of existing) this.hourOf(group).place(group);
  }

  /** The added logins, by their groups. */
  get added(): FailedLoginCount[] {
    return [...this.#hours.values()].flatMap((hour) => hour.added);
  }

  /** The number of groups. */
  get size(): number {
    return [...this.#hours.values()].reduce((sum, hour) => sum + hour.size, 0);
  }

  add(logins: FailedLoginCount): void {
    this.hourOf(logins).add(logins);
  }

  private hourOf({ hour }: Pick<FailedLoginGroup, 'hour'>): GroupsOfHour {
    const time = hour.getTime();
    const groups = this.#hours.get(time) ?? new GroupsOfHour();
    this.#hours.set(time, groups);
    return groups;
  }
}

class GroupsOfHour {
  readonly #keys = new Set<string>();
  /** Share -> the number of its groups. */
  readonly #taken = new Map<string, number>();
  readonly #added = new Map<string, FailedLoginCount>();

  get added(): readonly FailedLoginCount[] {
    return [...this.#added.values()];
  }

  get size(): number {
    return this.#keys.size;
  }

  place(group: FailedLoginGroup): void {
    const key = failedLogins.groupKey(group);
    if (this.#keys.has(key)) return;
    this.#keys.add(key);
    for (const { name } of sharesOf(group)) this.#taken.set(name, this.taken(name) + 1);
  }

  add({ count, lastAt, ...logins }: FailedLoginCount): void {
    const group = this.groupFor(logins);
    this.place(group);
    const key = failedLogins.groupKey(group);
    const earlier = this.#added.get(key);
    this.#added.set(key, {
      ...group,
      count: count + (earlier?.count ?? 0),
      lastAt: earlier && earlier.lastAt > lastAt ? earlier.lastAt : lastAt,
    });
  }

  /** The narrowest group that has a place. */
  private groupFor(logins: FailedLoginGroup): FailedLoginGroup {
    const ofSeveral = { ...logins, owner: 'SEVERAL', identityId: null } as const;
    const ofOwner = { ...logins, sender: null };
    // An address that tries many identities stays visible, and else the identity.
    const [first, second] = this.isFull(senderShare(logins))
      ? [ofSeveral, ofOwner]
      : [ofOwner, ofSeveral];
    const group = [logins, first, second].find((each) => this.hasPlaceFor(each));
    return group ?? { ...ofSeveral, sender: null };
  }

  private hasPlaceFor(group: FailedLoginGroup): boolean {
    return (
      this.#keys.has(failedLogins.groupKey(group)) ||
      !sharesOf(group).some((share) => this.isFull(share))
    );
  }

  private isFull({ name, most }: Share): boolean {
    return this.taken(name) >= most;
  }

  private taken(name: string): number {
    return this.#taken.get(name) ?? 0;
  }
}

/** Groups that count together, and the largest number of them in an hour. */
interface Share {
  readonly name: string;
  readonly most: number;
}

const PAIRS: Share = { name: 'pairs of a sender and an owner', most: 300 };
const UNKNOWN: Share = { name: 'senders without an identity', most: 60 };
const IDENTITIES: Share = { name: 'identities with several senders', most: 60 };
const SENDERS: Share = { name: 'senders with several identities', most: 60 };
const MAX_OF_ONE = 15;

const senderShare = ({ sender }: FailedLoginGroup): Share => ({
  name: `sender ${String(sender)}`,
  most: MAX_OF_ONE,
});

const identityShare = ({ identityId }: FailedLoginGroup): Share => ({
  name: `identity ${String(identityId)}`,
  most: MAX_OF_ONE,
});

/** The shares that a group counts in; without a share there are only as many as refusals and methods. */
function sharesOf(group: FailedLoginGroup): readonly Share[] {
  const { sender, owner } = group;
  if (sender === null) return owner === 'IDENTITY' ? [IDENTITIES] : [];
  if (owner === 'SEVERAL') return [SENDERS];
  if (owner === 'UNKNOWN') return [PAIRS, UNKNOWN];
  return [PAIRS, senderShare(group), identityShare(group)];
}
