export type * from './events.ts';
export type { DeliveryHeaders } from './header-signature.ts';
export { VerificationError, type VerificationFailure } from './verification-error.ts';
export { type Delivery, type DeliveryKeys, verifyDelivery } from './verify-delivery.ts';
