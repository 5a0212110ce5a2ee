alter table "authorization_request" add column "csr_pem" text;
