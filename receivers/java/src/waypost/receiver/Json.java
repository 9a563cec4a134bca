package waypost.receiver;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A strict parser of JSON (RFC 8259), because the Java class library has none. */
final class Json {
    /** Deeper bodies could overflow the stack. */
    private static final int MAX_DEPTH = 500;
    /** Converting a number takes quadratic time, and the body may be unsigned. */
    private static final int MAX_NUMBER_LENGTH = 1000;

    private final String text;
    private int position;
    private int depth;

    private Json(String text) {
        this.text = text;
    }

    /** Returns Map, List, String, Long, BigInteger, BigDecimal, Boolean or null. */
    static Object parse(String text) throws InvalidJson {
        Json json = new Json(text);
        Object value = json.value();
        json.skipSpace();
        if (json.position < text.length()) throw new InvalidJson();
        return value;
    }

    static final class InvalidJson extends Exception {
        private static final long serialVersionUID = 1;

        private InvalidJson() {
            super(null, null, false, false);
        }
    }

    private Object value() throws InvalidJson {
        skipSpace();
        return switch (peek()) {
            case '{' -> object();
            case '[' -> list();
            case '"' -> string();
            case 't' -> literal("true", Boolean.TRUE);
            case 'f' -> literal("false", Boolean.FALSE);
            case 'n' -> literal("null", null);
            default -> number();
        };
    }

    private Map<String, Object> object() throws InvalidJson {
        Map<String, Object> members = new LinkedHashMap<>();
        enter();
        if (!skip('}')) {
            do {
                skipSpace();
                String name = string();
                skipSpace();
                expect(':');
                members.put(name, value());
                skipSpace();
            } while (skip(','));
            expect('}');
        }
        depth--;
        return Collections.unmodifiableMap(members);
    }

    private List<Object> list() throws InvalidJson {
        List<Object> items = new ArrayList<>();
        enter();
        if (!skip(']')) {
            do {
                items.add(value());
                skipSpace();
            } while (skip(','));
            expect(']');
        }
        depth--;
        return Collections.unmodifiableList(items);
    }

    /** Reads the opening bracket. */
    private void enter() throws InvalidJson {
        position++;
        if (++depth > MAX_DEPTH) throw new InvalidJson();
        skipSpace();
    }

    private String string() throws InvalidJson {
        expect('"');
        int start = position;
        StringBuilder unescaped = null;
        while (true) {
            char character = next();
            if (character == '"') {
                String rest = text.substring(start, position - 1);
                return unescaped == null ? rest : unescaped.append(rest).toString();
            }
            if (character < ' ') throw new InvalidJson();
            if (character == '\\') {
                if (unescaped == null) unescaped = new StringBuilder();
                unescaped.append(text, start, position - 1).append(escaped());
                start = position;
            }
        }
    }

    private char escaped() throws InvalidJson {
        char character = next();
        return switch (character) {
            case '"', '\\', '/' -> character;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> codeUnit();
            default -> throw new InvalidJson();
        };
    }

    private char codeUnit() throws InvalidJson {
        int value = 0;
        for (int digit = 0; digit < 4; digit++) {
            char character = next();
            int number = character < 128 ? Character.digit(character, 16) : -1;
            if (number < 0) throw new InvalidJson();
            value = value * 16 + number;
        }
        return (char) value;
    }

    private Object literal(String name, Object value) throws InvalidJson {
        if (!text.startsWith(name, position)) throw new InvalidJson();
        position += name.length();
        return value;
    }

    private Number number() throws InvalidJson {
        int start = position;
        skip('-');
        if (!skip('0')) digits();
        boolean isInteger = true;
        if (skip('.')) {
            isInteger = false;
            digits();
        }
        if (skip('e') || skip('E')) {
            isInteger = false;
            if (!skip('+')) skip('-');
            digits();
        }
        if (position - start > MAX_NUMBER_LENGTH) throw new InvalidJson();
        String number = text.substring(start, position);
        try {
            if (!isInteger) return new BigDecimal(number);
            return number.length() < 19 ? (Number) Long.valueOf(number) : integer(new BigInteger(number));
        } catch (NumberFormatException exception) {
            throw new InvalidJson();
        }
    }

    private static Number integer(BigInteger number) {
        return number.bitLength() < Long.SIZE ? (Number) number.longValue() : number;
    }

    private void digits() throws InvalidJson {
        int start = position;
        while (position < text.length() && text.charAt(position) >= '0' && text.charAt(position) <= '9') position++;
        if (position == start) throw new InvalidJson();
    }

    private char peek() throws InvalidJson {
        if (position == text.length()) throw new InvalidJson();
        return text.charAt(position);
    }

    private char next() throws InvalidJson {
        char character = peek();
        position++;
        return character;
    }

    private boolean skip(char expected) {
        boolean isNext = position < text.length() && text.charAt(position) == expected;
        if (isNext) position++;
        return isNext;
    }

    private void expect(char expected) throws InvalidJson {
        if (!skip(expected)) throw new InvalidJson();
    }

    private void skipSpace() {
        while (position < text.length() && " \t\r\n".indexOf(text.charAt(position)) >= 0) position++;
    }
}
