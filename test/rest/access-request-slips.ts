const REASON = 'access for a time, which the public controller does not know';

/** The rows of access offers and requests, which the contract does not have. */
export const ACCESS_REQUEST_ROWS: Readonly<Record<string, string>> = {
  'GET /access-offers': REASON,
  'GET /access-offers/{id}': REASON,
  'POST /access-offers': REASON,
  'PATCH /access-offers/{id}': REASON,
  'PUT /access-offers/{id}': REASON,
  'DELETE /access-offers/{id}': REASON,
  'GET /access-requests': REASON,
  'GET /access-requests/{id}': REASON,
  'POST /access-requests': REASON,
  'POST /access-requests/{id}/cancel': REASON,
  'POST /access-requests/{id}/approve': REASON,
  'POST /access-requests/{id}/deny': REASON,
  'POST /access-requests/{id}/revoke': REASON,
  'POST /access-requests/{id}/review': REASON,
  'GET /access-requests/{id}/effect': REASON,
  'GET /current-identity/access': REASON,
};
