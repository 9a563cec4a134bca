export const roles = ['ADMIN', 'ACCOUNT_MANAGER', 'BUSINESS_MANAGER', 'LOCATION_MANAGER'] as const;
/** What the API can sort users by. */
export const userSorts = ['name', 'role', 'status', 'lastLogin'] as const;

export const statuses = ['ACTIVE', 'INACTIVE'] as const;

/** Those who see only what is given to them. */
export const isBounded = (role: string): boolean => role === 'BUSINESS_MANAGER' || role === 'LOCATION_MANAGER';
