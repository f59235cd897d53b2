package dev.sluice.api;

class OpensATransaction {
    @jakarta.transaction.Transactional
    void annotated() {}

    void byHand(java.sql.Connection connection) throws java.sql.SQLException {
        connection.setAutoCommit(false);
    }
}
