/**
 * SQL of the position of a change in the log: it sorts as text by restores, transactions and
 * statements.
 */
export const CHANGE_PLACE = `lpad(to_hex("epoch"), 4, '0') || lpad(to_hex("xid"), 16, '0') || lpad(to_hex("seq"), 16, '0')`;
