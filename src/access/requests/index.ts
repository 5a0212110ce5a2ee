export {
  cancelRequestIn,
  cancelRequestsForOffersIn,
  cancelRequestsOfIdentitiesIn,
  revokeAccessIn,
} from './end-request.js';
export { approveRequestIn, denyRequestIn, type Approval } from './decide-request.js';
export { removeSettledRequests } from './remove-settled-requests.js';
export { AccessRequestEffect, approvalEffect, requestEffect } from './request-effect.js';
export { renewGrantIn } from './renew-grant.js';
export { reviewRequestIn } from './review-request.js';
export { requestAccess, type NewAccessRequest } from './request-access.js';
