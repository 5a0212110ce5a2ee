import type { ServiceSession } from '../../data/rows/session/index.js';

type LossFollower = (lost: readonly ServiceSession[]) => void;

/**
 * Tells of sessions over OpenID Connect whose posture fails by what the controller has. They stay, since
 * their clients tell their posture to routers that judge it, and to the controller for the others alone.
 */
export class PostureLosses {
  readonly #followers: LossFollower[] = [];

  follow(follower: LossFollower): void {
    this.#followers.push(follower);
  }

  tell(lost: readonly ServiceSession[]): void {
    if (lost.length === 0) return;
    for (const follower of this.#followers) follower(lost);
  }
}
