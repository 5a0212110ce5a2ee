export { externalIdOf } from './external-id.js';
export { presentedChain } from './presented-chain.js';
export {
  verifyClientChain,
  type ClientAuthority,
  type PresentedChain,
  type RefusedClient,
  type ThirdPartyAuthority,
  type VerifiedClient,
} from './verify-client-chain.js';
