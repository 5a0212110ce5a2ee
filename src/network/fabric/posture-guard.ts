import { sessions, type ServiceSession } from '../../data/rows/session/index.js';
import type { PresentedToken } from '../../data/rows/terminator/index.js';
import type { Rows } from '../../kernel/request/store-port.js';
import type { RouterPort } from './router-port.js';

/** A use of a service that posture decides. */
type JudgedUse = Pick<ServiceSession, 'apiSessionId' | 'identityId' | 'serviceId' | 'type'>;

/** Says for each use whether posture allows it, by what the controller has. */
export type PostureJudge = (uses: readonly JudgedUse[]) => Promise<readonly boolean[]>;

/**
 * Judges the posture of clients over OpenID Connect, which tell it to routers that judge it by
 * themselves, and to the controller for the others. So it judges at those others.
 */
export class PostureGuard {
  /** Router id -> whether it judges, as it said when it was last connected. */
  readonly #judging = new Map<string, boolean>();

  constructor(
    private readonly store: Rows,
    private readonly routers: Pick<RouterPort, 'judgesPosture'>,
    private readonly judge: PostureJudge,
  ) {}

  routerConnected(routerId: string): void {
    this.#judging.set(routerId, this.routers.judgesPosture(routerId));
  }

  routerDeleted(routerId: string): void {
    this.#judging.delete(routerId);
  }

  /** Whether a router leaves posture to the controller. One that was never connected says nothing. */
  isInChargeAt(routerId: string): boolean {
    return this.#judging.get(routerId) === false;
  }

  /** Whether a client may use its session at a router. */
  async allows(
    { client }: PresentedToken,
    use: Omit<JudgedUse, 'apiSessionId'>,
    routerId: string,
  ): Promise<boolean> {
    const isOpenId = client?.apiSession && 'id' in client.apiSession;
    if (!isOpenId || this.routers.judgesPosture(routerId)) return true;
    const [isPassing] = await this.judge([{ ...use, apiSessionId: client.apiSession.id }]);
    return isPassing === true;
  }

  /** Those of these sessions over OpenID Connect whose posture fails. */
  async failing(sessionIds: readonly string[]): Promise<string[]> {
    if (sessionIds.length === 0) return [];
    const openId = await sessions.openIdAmong(this.store, [...new Set(sessionIds)]);
    const passing = openId.length === 0 ? [] : await this.judge(openId);
    return openId.flatMap(({ id }, i) => (passing[i] === true ? [] : [id]));
  }
}
