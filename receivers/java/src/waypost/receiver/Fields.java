package waypost.receiver;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/** Typed access to the fields of an event. Throws a RuntimeException if a field is missing or has another type. */
record Fields(Map<String, Object> raw) {
    long integer(String name) {
        return (Long) required(name);
    }

    boolean bool(String name) {
        return (Boolean) required(name);
    }

    String text(String name) {
        return (String) required(name);
    }

    String optionalText(String name) {
        return (String) raw.get(name);
    }

    List<Long> integers(String name) {
        return Objects.requireNonNull(optionalIntegers(name));
    }

    List<Long> optionalIntegers(String name) {
        return list(name, Long.class);
    }

    List<String> texts(String name) {
        return Objects.requireNonNull(list(name, String.class));
    }

    private <T> List<T> list(String name, Class<T> type) {
        List<?> values = (List<?>) raw.get(name);
        return values == null ? null : values.stream().<T>map(type::cast).toList();
    }

    private Object required(String name) {
        return Objects.requireNonNull(raw.get(name), name);
    }
}
